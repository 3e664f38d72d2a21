// npm run build: builds the portal into portal/dist unless it is up to date. npm ci and npm start run it too.
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

async function main(): Promise<void> {
  const current = await fingerprint();
  const built = await readFile(join(dist, fingerprintName), 'utf8').catch(() => '');
  if (built === current) return;
  if (!existsSync(join(root, 'node_modules/vite'))) {
    const state = built ? 'The portal is out of date' : 'The portal is not built';
    console.error(`${state}, and vite is not installed. Run npm ci with development dependencies.`);
    return;
  }
  console.error('  … building the portal');
  const { build } = await import('vite');
  const { default: react } = await import('@vitejs/plugin-react');
  // Built in a temporary folder and renamed, so that a concurrent start never sees a partial build.
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
      // Keeps light-dark().
      cssTarget: ['chrome123', 'firefox121', 'safari17.5'],
    },
  });
  await addCompressed(fresh);
  // mkdtemp makes a private folder; the service may run as another user.
  await chmod(fresh, 0o755);
  await writeFile(join(fresh, fingerprintName), current);
  const old = `${fresh}-old`;
  await rename(dist, old).catch(() => undefined);
  await rename(fresh, dist);
  await rm(old, { recursive: true, force: true });
}

await main();
