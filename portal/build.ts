// npm run build: the portal as files to serve, in portal/dist. Done by npm ci, and by npm start where it is missing or of other sources; otherwise this takes
// a moment only.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, glob, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const here = import.meta.dirname;
const root = join(here, '..');
const dist = join(here, 'dist');
const stampName = '.made-of';

/** What a build is made of, as one word. */
async function fingerprint(): Promise<string> {
  const files = await Array.fromAsync(
    glob(['portal/src/**/*', 'portal/*.{html,ts,json}', 'client/*.ts', 'package-lock.json'], {
      cwd: root,
      withFileTypes: true,
    }),
  );
  const paths = files
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name))
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

/** Beside each file that gets smaller by it, the same compressed: nothing is compressed while somebody waits. */
async function addCompressed(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(js|css|json|svg)$/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path);
    for (const [suffix, work] of Object.entries(compress)) {
      const small = await work(bytes);
      if (small.length < bytes.length * 0.9) await writeFile(`${path}.${suffix}`, small);
    }
  }
}

async function main(): Promise<void> {
  const stamp = await fingerprint();
  const made = await readFile(join(dist, stampName), 'utf8').catch(() => '');
  if (made === stamp) return;
  if (!existsSync(join(root, 'node_modules/vite'))) {
    const state = made ? 'The portal was built of other sources' : 'The portal is not built';
    console.error(`${state}, and vite is not installed to build it. npm ci with development dependencies does both.`);
    return;
  }
  console.error('  … building the portal');
  const { build } = await import('vite');
  const { default: react } = await import('@vitejs/plugin-react');
  // Built beside, then put in its place at once: somebody may be starting at the same time.
  const fresh = await mkdtemp(join(here, '.dist-'));
  await build({
    configFile: false,
    root: here,
    base: '/portal/',
    logLevel: 'warn',
    plugins: [react()],
    build: {
      outDir: fresh,
      emptyOutDir: true,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 900,
      target: 'es2023',
      // Colours that follow the scheme by themselves.
      cssTarget: ['chrome123', 'firefox121', 'safari17.5'],
    },
  });
  await addCompressed(fresh);
  // A temporary folder is for who made it alone; the service may run as somebody else.
  await chmod(fresh, 0o755);
  await writeFile(join(fresh, stampName), stamp);
  const old = `${fresh}-old`;
  await rename(dist, old).catch(() => undefined);
  await rename(fresh, dist);
  await rm(old, { recursive: true, force: true });
}

await main();
