// What an operator meets before the service runs: an unsupported Node, and a portal that cannot be built.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import packageJson from '../package.json' with { type: 'json' };
import lock from '../package-lock.json' with { type: 'json' };
import { createClient } from './harness/client.ts';
import { cleanEnvironment, root, usualFlags } from './harness/process.ts';

const run = promisify(execFile);
const home = await mkdtemp(join(tmpdir(), 'pbinstall-'));
after(() => rm(home, { recursive: true, force: true }));

/** npm tells its scripts the version of the Node that runs it in this variable. */
const agentOf = (version: string): Record<string, string> => ({
  npm_config_user_agent: `npm/10.8.2 node/v${version} linux arm64 workspaces/false`,
});

test('the minimum Node is that of the bundler, whose binding npm omits silently with an older one', () => {
  assert.equal(packageJson.engines.node, lock.packages['node_modules/rolldown'].engines.node);
});

test('an installation with an unsupported Node fails with one sentence', async () => {
  const [command = '', script = ''] = packageJson.scripts.preinstall.split(' ');
  assert.equal(command, 'node');
  const check = (version: string) =>
    run(process.execPath, [join(root, script)], { env: cleanEnvironment(agentOf(version)) });
  for (const version of ['16.20.2', '18.20.8', '20.18.3', '21.7.3', '22.11.0'])
    await assert.rejects(check(version), ({ code, stderr }) => {
      assert.equal(code, 1);
      assert.match(stderr, new RegExp(`^Node ${version} cannot install Patchbay, which needs Node .+\\.\\n$`));
      return true;
    });
  for (const version of ['20.19.0', '20.20.2', '22.12.0', '23.4.0', '24.0.0', '26.12.0']) await check(version);
});

test('.ci/run names an unsupported Node before it installs anything', async () => {
  const bin = join(home, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'node'), `#!/bin/sh\nexec ${process.execPath} "$@"\n`);
  await writeFile(join(bin, 'npm'), '#!/bin/sh\necho npm was called\n');
  for (const name of ['node', 'npm']) await chmod(join(bin, name), 0o755);
  const env = cleanEnvironment({ ...agentOf('18.20.8'), PATH: `${bin}:/usr/bin:/bin` });
  await assert.rejects(run(join(root, '.ci/run'), { env }), ({ code, stdout, stderr }) => {
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^Node 18\.20\.8 cannot install Patchbay/);
    return true;
  });
});

test('a portal that cannot be built is a warning: the API starts, and the portal says what to do', async () => {
  const project = join(home, 'project');
  for (const part of ['src', 'client', 'portal', 'package.json', 'package-lock.json'])
    await cp(join(root, part), join(project, part), {
      recursive: true,
      filter: (path) => !/\/(dist|node_modules)\b/.test(path.slice(root.length)),
    });
  await symlink(join(root, 'node_modules'), join(project, 'node_modules'));
  await writeFile(join(project, 'portal/src/main.tsx'), 'export const broken = ;\n');
  await assert.rejects(
    run('npm', ['run', '-s', 'build'], { cwd: project, env: cleanEnvironment() }),
    'npm run build fails',
  );
  const data = join(home, 'data');
  const child = spawn('npm', ['run', '-s', 'serve', '--', ...usualFlags, '--demo', 'off', '--data', data], {
    cwd: project,
    detached: true,
    env: cleanEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  try {
    while (!/"url":"/.test(output))
      await Promise.race([
        new Promise((resolve) => child.stdout.once('data', resolve)),
        exited.then(() => assert.fail(output)),
      ]);
    assert.match(output, /^The portal is missing, because it cannot be built: .+ The API works without it\.$/m);
    assert.match(output, /the portal is not built/);
    const ca = await readFile(join(data, 'tls/ca.pem'), 'utf8');
    const client = createClient(/"url":"([^"]+)"/.exec(output)?.[1] ?? '', ca);
    assert.equal((await client.get('/ready')).status, 200);
    const page = await client.get('/portal/');
    assert.deepEqual([page.status, page.text.includes('The portal is not built')], [503, true]);
    client.close();
  } finally {
    process.kill(-(child.pid ?? 0), 'SIGTERM');
    await exited;
  }
});
