// npm run build: builds the portal into portal/dist unless it is up to date. npm ci and npm start run it with
// --if-possible: then a portal that cannot be built is a warning, because the API works without it.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, glob, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const here = import.meta.dirname;
const root = join(here, '..');
const dist = join(here, 'dist');
const fingerprintName = '.made-of';

/** A hash of all sources of the build. */
async function fingerprint(): Promise<string> {
  const files = await Array.fromAsync(
    glob(['portal/src/**/*', 'portal/*.{html,ts,json}', 'client/*.ts', 'package-lock.json'], {
      cwd: root,
      withFileTypes: true,
    }),
  );
  const paths = files
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const hash = createHash('sha256');
  for (const path of paths)
    hash
      .update(path.slice(root.length))
      .update('\0')
      .update(await readFile(path))
      .update('\0');
  return hash.digest('hex');
}

const compress = {
  br: (bytes: Buffer) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }),
  gz: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }),
};

/** Adds .br and .gz files where they save 10 %, so that the service does not compress per request. */
async function addCompressed(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(js|css|json|svg)$/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path);
    for (const [suffix, run] of Object.entries(compress)) {
      const small = await run(bytes);
      if (small.length < bytes.length * 0.9) await writeFile(`${path}.${suffix}`, small);
    }
  }
}

/** `folder` is temporary and renamed at the end, so that a concurrent start never sees a partial build. */
async function buildInto(folder: string, current: string): Promise<void> {
  const { build } = await import('vite');
  const { default: react } = await import('@vitejs/plugin-react');
  await build({
    configFile: false,
    root: here,
    base: '/portal/',
    logLevel: 'warn',
    plugins: [react()],
    build: {
      outDir: folder,
      emptyOutDir: true,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 900,
      target: 'es2023',
      // Keeps light-dark().
      cssTarget: ['chrome123', 'firefox121', 'safari17.5'],
    },
  });
  await addCompressed(folder);
  // mkdtemp makes a private folder; the service may run as another user.
  await chmod(folder, 0o755);
  await writeFile(join(folder, fingerprintName), current);
  const old = `${folder}-old`;
  await rename(dist, old).catch(() => undefined);
  await rename(folder, dist);
  await rm(old, { recursive: true, force: true });
}

async function buildPortal(current: string): Promise<void> {
  if (!existsSync(join(root, 'node_modules/vite')))
    throw new Error('vite is not installed. Run npm ci with development dependencies');
  console.error('  … building the portal');
  const folder = await mkdtemp(join(here, '.dist-'));
  try {
    await buildInto(folder, current);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function main(): Promise<void> {
  // A release contains the built portal and not its sources.
  if (existsSync(join(root, 'build.json'))) return;
  const current = await fingerprint();
  const built = await readFile(join(dist, fingerprintName), 'utf8').catch(() => '');
  if (built === current) return;
  try {
    await buildPortal(current);
  } catch (error) {
    if (!process.argv.includes('--if-possible')) throw error;
    const [reason] = (error as Error).message.split('\n');
    const state = built ? 'The portal is out of date' : 'The portal is missing';
    console.error(`${state}, because it cannot be built: ${reason}. The API works without it.`);
  }
}

await main();
