// HAProxy in front of two replicas, with the configuration in examples/.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { hasProgram } from '../test/harness/debian-packages.ts';
import { freePort } from '../test/harness/debian-postgres.ts';
import { root } from '../test/harness/process.ts';

export const balancerPackages = ['haproxy'];
export const hasBalancer = (): boolean => hasProgram('haproxy');

export interface Balancer {
  url: string;
  /** Waits until it forwards to these replicas and to no other. */
  untilUp(names: string[]): Promise<void>;
  stop(): Promise<void>;
}

export const replicaNames = ['one', 'two'] as const;

/** Writes the example configuration with the addresses and files of this run. */
async function configure(home: string, tls: { certificate: string; key: string; authority: string }, ports: number[]) {
  const port = await freePort();
  const pem = join(home, 'haproxy.pem');
  await writeFile(pem, (await readFile(tls.certificate, 'utf8')) + (await readFile(tls.key, 'utf8')), { mode: 0o600 });
  const socket = join(home, 'haproxy.sock');
  let text = await readFile(join(root, 'examples', 'haproxy.cfg'), 'utf8');
  for (const [example, own] of [
    ['bind :443', `bind 127.0.0.1:${port}`],
    ['/etc/haproxy/patchbay.pem', pem],
    ['/etc/haproxy/patchbay-ca.pem', tls.authority],
    ['/run/haproxy/patchbay.sock', socket],
    ['10.0.0.11:8443', `127.0.0.1:${ports[0]}`],
    ['10.0.0.12:8443', `127.0.0.1:${ports[1]}`],
  ] as const) {
    assert.ok(text.includes(example), `the example has no ${example}`);
    text = text.replace(example, own);
  }
  const file = join(home, 'haproxy.cfg');
  await writeFile(file, text);
  return { file, socket, url: `https://localhost:${port}` };
}

async function sendCommand(path: string, command: string): Promise<string> {
  const socket = connect(path);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.end(`${command}\n`);
  await once(socket, 'close');
  return text;
}

export async function startBalancer(
  home: string,
  tls: { certificate: string; key: string; authority: string },
  ports: number[],
): Promise<Balancer> {
  const { file, socket, url } = await configure(home, tls, ports);
  const child = spawn('haproxy', ['-db', '-f', file], {
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output = `${output}${chunk}`.slice(-4000);
    });
  const exited = once(child, 'exit');
  const isUp = async (names: string[]): Promise<boolean> => {
    const lines = (await sendCommand(socket, 'show stat').catch(() => '')).split('\n').map((line) => line.split(','));
    const status = (name: string) => lines.find((row) => row[0] === 'replicas' && row[1] === name)?.[17];
    return replicaNames.every((name) => status(name) === (names.includes(name) ? 'UP' : 'DOWN'));
  };
  return {
    url,
    async untilUp(names) {
      for (const until = performance.now() + 30_000; !(await isUp(names)); await pause(25))
        assert.ok(
          performance.now() < until && child.exitCode === null,
          `HAProxy does not forward to ${names}:\n${output}`,
        );
    },
    async stop() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
