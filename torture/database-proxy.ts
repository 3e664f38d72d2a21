// A TCP proxy in front of a database that listens on a Unix socket or on TCP. It can refuse connections, cut them, or drop all
// traffic while connections stay open.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultPatience, start } from '../test/harness/process.ts';
import { createDatabase } from '../test/harness/service.ts';
import type { OutageTarget } from './database-outage.ts';

export type Fault = 'none' | 'refused' | 'cut' | 'silent';

export interface DatabaseProxy {
  url: string;
  setFault(fault: Fault): Promise<void>;
  close(): void;
}

export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const folder = target.searchParams.get('host');
  const reach = (): Socket =>
    folder ? connect(`${folder}/.s.PGSQL.5432`) : connect(Number(target.port), target.hostname);
  const pairs = new Set<{ near: Socket; far: Socket }>();
  let current: Fault = 'none';
  const server = createServer((near) => {
    const far = reach();
    const pair = { near, far };
    pairs.add(pair);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('error', () => undefined);
      from.on('close', () => {
        pairs.delete(pair);
        to.destroy();
      });
      from.on('data', (chunk) => {
        if (current !== 'silent') to.write(chunk);
      });
    }
  });
  const listen = async (port: number): Promise<number> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as { port: number }).port;
  };
  const port = await listen(0);
  const cutAll = (): void => {
    for (const { near, far } of pairs) {
      near.destroy();
      far.destroy();
    }
  };
  const account = target.password ? `${target.username}:${target.password}` : target.username;
  return {
    url: `postgresql://${account}@127.0.0.1:${port}${target.pathname}`,
    async setFault(fault) {
      if (server.listening && fault === 'refused') server.close();
      if (!server.listening && fault !== 'refused') await listen(port);
      // Connections that were silent have lost bytes: they are cut when the silence ends.
      if (fault !== 'silent') cutAll();
      current = fault;
    },
    close() {
      cutAll();
      if (server.listening) server.close();
    },
  };
}

/** A service that reaches its database through the proxy. */
export async function startProxiedService(): Promise<OutageTarget> {
  const database = await createDatabase();
  const proxy = await startDatabaseProxy(database.url);
  const home = await mkdtemp(join(tmpdir(), 'pbaway-'));
  return {
    running: await start(home, { args: ['--database-url', proxy.url, ...defaultPatience] }),
    faults: ['silent', 'refused', 'cut'],
    durationMs: (fault, random) => (fault === 'cut' ? 200 : 2000 + random.below(5000)),
    setFault: (fault) => proxy.setFault(fault as Fault),
    async close() {
      proxy.close();
      await database.drop();
      await rm(home, { recursive: true, force: true });
    },
  };
}
