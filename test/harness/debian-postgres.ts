// Debian's PostgreSQL on a loopback port with a password, as an operator would run it.
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, globSync, openSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

export interface DebianPostgres {
  url: string;
  version: string;
  bin: string;
  stop(): Promise<void>;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

export const hasDebianPostgres = (): boolean => globSync('/usr/lib/postgresql/*/bin/initdb').length > 0;

export async function startDebianPostgres(env: Record<string, string> = {}): Promise<DebianPostgres> {
  const version = (await readdir('/usr/lib/postgresql')).sort((a, b) => Number(a) - Number(b)).at(-1) ?? '';
  const bin = `/usr/lib/postgresql/${version}/bin`;
  const folder = join(tmpdir(), `pbordinary-${randomBytes(4).toString('hex')}`);
  const password = randomBytes(12).toString('hex');
  await mkdir(folder, { mode: 0o700 });
  const isRoot = process.getuid?.() === 0;
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres']).toString());
  const drop = isRoot ? { uid: idOf('-u'), gid: idOf('-g') } : {};
  if (isRoot) await chown(folder, idOf('-u'), idOf('-g'));
  const secret = join(folder, 'password');
  await writeFile(secret, password);
  await chmod(secret, 0o644);
  const data = join(folder, 'data');
  execFileSync(
    join(bin, 'initdb'),
    [
      '-D',
      data,
      '-U',
      'operator',
      `--pwfile=${secret}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C.UTF-8',
      '--no-sync',
    ],
    { ...drop, cwd: '/', stdio: 'ignore' },
  );
  const port = await freePort();
  const log = openSync(join(folder, 'log'), 'a', 0o666);
  const child = spawn(
    join(bin, 'postgres'),
    ['-D', data, '-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off'],
    { ...drop, cwd: '/', detached: true, env: { ...process.env, ...env }, stdio: ['ignore', log, log] },
  );
  closeSync(log);
  const url = `postgresql://operator:${password}@127.0.0.1:${port}/postgres`;
  for (const until = Date.now() + 30_000; ; await pause(50)) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      break;
    } catch (error) {
      if (Date.now() > until) throw error;
    }
  }
  return {
    url,
    version,
    bin,
    async stop() {
      const gone = once(child, 'exit');
      child.kill('SIGINT');
      await gone;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
