// The Containerfile and the compose file, as far as they can be checked without a container engine: no image is built.
// test/release.test.ts runs the steps of the last stage on a copy of this machine.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import packageJson from '../package.json' with { type: 'json' };
import { settingsHelp } from '../src/settings.ts';
import { healthCommand, readStages, valuesOf } from './harness/containerfile.ts';
import { cleanEnvironment, root } from './harness/process.ts';
import { fixture } from './harness/service.ts';

const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const [build = [], final = []] = readStages();
const settings = new Set(settingsHelp().match(/\b(?:PATCHBAY_[A-Z_]+|DATABASE_URL)\b/g));
const image = `patchbay:${packageJson.version}`;

interface ComposeService {
  image: string;
  environment: Record<string, string>;
  volumes: string[];
  read_only?: boolean;
}
const { load } = createRequire(import.meta.url)('js-yaml') as { load(text: string): unknown };
const compose = load(read('examples/compose.yml')) as {
  services: Record<'patchbay' | 'database', ComposeService>;
  volumes: Record<string, unknown>;
};

test('every file that the image copies is in the repository and reaches the build', () => {
  const tracked = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' }).split(
    '\n',
  );
  const ignored: string[] = read('.containerignore').match(/^[^#\n]+$/gm) ?? [];
  const sources = valuesOf(build, 'COPY').flatMap((value) => value.split(' ').slice(0, -1));
  assert.ok(sources.length > 5);
  for (const source of sources) {
    assert.ok(
      tracked.some((file) => file === source || file.startsWith(`${source}/`)),
      `${source} does not exist`,
    );
    assert.ok(!ignored.includes(source), `.containerignore omits ${source}`);
  }
  assert.deepEqual(valuesOf(final, 'COPY'), ['--from=build /build /opt/patchbay']);
});

test('base images have exact versions, and every setting in both files exists', () => {
  for (const stage of [build, final])
    assert.match(valuesOf(stage, 'FROM')[0] ?? '', /^[a-z]+:\d+\.[\d.]+-[\w-]+( AS build)?$/);
  assert.match(compose.services.database.image, /^postgres:\d+\.\d+-\w+$/);
  const names = [
    ...valuesOf(final, 'ENV').map((value) => value.split('=')[0] ?? ''),
    ...Object.keys(compose.services.patchbay.environment),
  ];
  for (const name of names.filter((one) => one !== 'PATH'))
    assert.ok(settings.has(name), `there is no setting ${name}`);
});

test('the service runs as a numbered user other than root, on a read-only root file system', () => {
  assert.match(valuesOf(final, 'USER')[0] ?? '', /^[1-9]\d+:[1-9]\d+$/);
  const { patchbay } = compose.services;
  assert.equal(patchbay.read_only, true);
  const volumes = Object.values(compose.services).flatMap((service) => service.volumes.map((one) => one.split(':')));
  for (const [name = ''] of volumes) assert.ok(name in compose.volumes, `the volume ${name} is not declared`);
  assert.deepEqual(valuesOf(final, 'VOLUME'), [patchbay.volumes[0]?.split(':')[1]]);
});

test('the files name the version of the project, and the commands in their comments exist', () => {
  assert.equal(compose.services.patchbay.image, image);
  for (const file of ['Containerfile', 'examples/compose.yml']) {
    const text = read(file);
    for (const [tag] of text.matchAll(/patchbay:\d[\d.]*\d/g)) assert.equal(tag, image, file);
    for (const [path] of text.matchAll(/src\/[\w/]+\.ts/g)) assert.ok(existsSync(join(root, path)), `${file}: ${path}`);
  }
});

test('the health check succeeds while the service is alive, and fails otherwise', async () => {
  const f = await fixture();
  const [, ...args] = healthCommand(final);
  // Asynchronous, because the service runs in this process.
  const check = async (port: string) => {
    const child = spawn(process.execPath, args, { env: cleanEnvironment({ PATCHBAY_PORT: port }) });
    return (await once(child, 'exit'))[0];
  };
  assert.equal(await check(new URL(f.client.url).port), 0);
  assert.equal(await check('1'), 1);
});
