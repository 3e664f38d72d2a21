// npm run release: builds the release of the commit that is checked out into dist/: a tarball with the built portal and
// the production dependencies, a Debian package, the bill of materials and the checksums. The same commit gives the
// same bytes with the same npm and architecture: order, times, owners and modes are fixed.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import packageJson from '../package.json' with { type: 'json' };

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const { version } = packageJson;

/** What a production machine needs. Everything else, such as tests, stays in the repository. */
const releasePaths = [
  'bin',
  'client',
  'docs/*.md',
  'docs/*.svg',
  'examples',
  'scripts/check-node.cjs',
  'portal/build.ts',
  'src',
  ':(exclude)*.test.ts',
  '.npmrc',
  'package.json',
  'package-lock.json',
  '*.md',
  'LICENSE',
];

/** Debian's names of the architectures that all native dependencies support. */
const debianArchitectures: Partial<Record<string, string>> = { arm64: 'arm64', x64: 'amd64' };

const print = (text: string): void => void process.stderr.write(`  … ${text}\n`);

function fail(message: string): never {
  process.stderr.write(`Nothing was released.\n${message}\n`);
  process.exit(1);
}

function run(command: string, args: string[], options: { cwd?: string; input?: Buffer; env?: object } = {}): Buffer {
  const { cwd = root, input, env = {} } = options;
  const maxBuffer = 2 ** 30;
  return execFileSync(command, args, {
    cwd,
    input,
    env: { ...process.env, ...env },
    maxBuffer,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

const git = (...args: string[]): string => run('git', args).toString().trim();

/** A release is reproducible from its commit only if nothing else was in the folder. */
function rejectChanges(): void {
  const changes = git('status', '--porcelain');
  if (changes) fail(`These files are not as in the commit. Commit or remove them first:\n${changes}`);
}

/** Copies the files of the commit and the built portal, and installs the production dependencies. */
async function fillFolder(folder: string, commit: string): Promise<void> {
  run('tar', ['-x', '-C', folder], { input: run('git', ['archive', 'HEAD', '--', ...releasePaths]) });
  print('building the portal');
  run(process.execPath, [join(root, 'portal/build.ts')]);
  await cp(join(root, 'portal/dist'), join(folder, 'portal/dist'), { recursive: true });
  await writeFile(join(folder, 'build.json'), `${JSON.stringify({ commit })}\n`);
  print('installing the production dependencies');
  run('npm', ['ci', '--omit=dev', '--prefer-offline'], { cwd: folder });
  await removeNodeHeaders(join(folder, 'node_modules/node'));
}

/** The package links Node's program out of a second package, whose headers and manuals are a quarter of all files. */
async function removeNodeHeaders(folder: string): Promise<void> {
  const inner = join(folder, 'node_modules');
  await cp(join(inner, `node-linux-${process.arch}/LICENSE`), join(folder, 'LICENSE'));
  await rm(inner, { recursive: true });
}

interface BillOfMaterials {
  serialNumber: string;
  metadata: { timestamp: string };
  components: { externalReferences?: { type: string }[] }[];
}

/** npm's bill of materials without what differs from run to run and from one registry to another. */
function createBillOfMaterials(folder: string, committedAt: string): string {
  // Of the lock file: npm reports the omitted development dependencies of the workspace as missing from the folder.
  const args = ['sbom', '--omit', 'dev', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const bill: BillOfMaterials = JSON.parse(run('npm', args, { cwd: folder }).toString());
  for (const component of bill.components)
    component.externalReferences = component.externalReferences?.filter(({ type }) => type !== 'distribution');
  bill.metadata.timestamp = committedAt;
  const digest = createHash('sha256').update(JSON.stringify(bill.components)).digest('hex');
  const [, a, b, c, d, e] = /^(.{8})(.{4}).(.{3}).(.{3})(.{12})/.exec(digest) ?? [];
  bill.serialNumber = `urn:uuid:${a}-${b}-4${c}-8${d}-${e}`;
  return `${JSON.stringify(bill, null, 2)}\n`;
}

function createTarball(parent: string, name: string, file: string, epoch: string): void {
  const fixed = ['--sort=name', `--mtime=@${epoch}`, '--owner=0', '--group=0', '--numeric-owner', '--format=gnu'];
  const mode = '--mode=u+rw,go+rX,go-w';
  // gzip -n writes neither a name nor a time.
  run('tar', ['-c', ...fixed, mode, '--use-compress-program=gzip -n', '-f', file, name], { cwd: parent });
}

async function diskKilobytes(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = files
    .filter((file) => file.isFile())
    .map(async (file) => (await stat(join(file.parentPath, file.name))).size);
  return Math.ceil((await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) / 1024);
}

/** Makes the Debian package of a filled folder, which moves into the package. */
async function createDebianPackage(folder: string, file: string, architecture: string, epoch: string): Promise<void> {
  const tree = join(folder, '../debian');
  const packaging = join(root, 'packaging/debian');
  const place = async (source: string, target: string, change = (text: string) => text, mode = 0o644) => {
    await mkdir(join(tree, target, '..'), { recursive: true });
    await writeFile(join(tree, target), change(await readFile(source, 'utf8')), { mode });
  };
  const home = 'usr/lib/patchbay';
  await mkdir(join(tree, 'usr/lib'), { recursive: true });
  await rename(folder, join(tree, home));
  const size = String(await diskKilobytes(tree));
  await mkdir(join(tree, 'usr/bin'));
  await symlink('../lib/patchbay/bin/patchbay', join(tree, 'usr/bin/patchbay'));
  await place(join(root, 'examples/patchbay.env'), 'etc/patchbay/patchbay.env', undefined, 0o640);
  for (const unit of ['patchbay.service', 'patchbay-backup.service', 'patchbay-backup.timer'])
    await place(join(root, 'examples', unit), `usr/lib/systemd/system/${unit}`, (text) =>
      text.replaceAll('/opt/patchbay', `/${home}`),
    );
  await place(join(packaging, 'copyright'), 'usr/share/doc/patchbay/copyright');
  await place(join(packaging, 'conffiles'), 'DEBIAN/conffiles');
  await place(join(packaging, 'control'), 'DEBIAN/control', (text) =>
    text.replace('@VERSION@', version).replace('@ARCHITECTURE@', architecture).replace('@SIZE@', size),
  );
  for (const script of ['postinst', 'prerm', 'postrm'])
    await place(join(packaging, script), `DEBIAN/${script}`, undefined, 0o755);
  run('chmod', ['-R', 'u+rw,go+rX,go-w', join(tree, home)]);
  // dpkg-deb lowers later times to this one. zstd takes a tenth of xz's time.
  const env = { SOURCE_DATE_EPOCH: epoch };
  run('dpkg-deb', ['--root-owner-group', '-Zzstd', '-z10', '--build', tree, file], { env });
}

async function writeChecksums(files: string[]): Promise<void> {
  const lines = files.map(async (file) => {
    const hash = createHash('sha256').update(await readFile(join(dist, file)));
    return `${hash.digest('hex')}  ${file}\n`;
  });
  await writeFile(join(dist, 'SHA256SUMS'), (await Promise.all(lines)).join(''));
}

async function main(): Promise<void> {
  const architecture = debianArchitectures[process.arch] ?? fail(`There is no release for ${process.arch}.`);
  rejectChanges();
  const commit = git('rev-parse', '--short=7', 'HEAD');
  const epoch = git('log', '-1', '--format=%ct');
  process.umask(0o022);
  await rm(dist, { recursive: true, force: true });
  await mkdir(dist);
  const parent = await mkdtemp(join(dist, '.stage-'));
  try {
    const name = `patchbay-${version}`;
    const folder = join(parent, name);
    await mkdir(folder);
    await fillFolder(folder, commit);
    const bill = `${name}.cdx.json`;
    await writeFile(join(dist, bill), createBillOfMaterials(folder, new Date(Number(epoch) * 1000).toISOString()));
    print('packing the tarball');
    const tarball = `${name}-linux-${process.arch}.tar.gz`;
    createTarball(parent, name, join(dist, tarball), epoch);
    const files = [tarball, bill];
    if (existsSync('/usr/bin/dpkg-deb')) {
      print('packing the Debian package');
      const debianPackage = `patchbay_${version}_${architecture}.deb`;
      await createDebianPackage(folder, join(dist, debianPackage), architecture, epoch);
      files.push(debianPackage);
    } else print('no Debian package: dpkg-deb is not installed');
    await writeChecksums(files);
    for (const file of files) console.log(`dist/${file} ${((await stat(join(dist, file))).size / 1e6).toFixed(1)} MB`);
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
}

await main();
