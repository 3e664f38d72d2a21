// The way to a database that listens on a Unix socket, over a port of its own: it can be refused, cut, or say nothing at all while it stands.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultPatience, start } from '../test/harness/process.ts';
import { createDatabase } from '../test/harness/service.ts';
import type { Ground } from './database-outage.ts';

export type Trouble = 'none' | 'refused' | 'cut' | 'silent';

export interface DatabaseWay {
  url: string;
  become(trouble: Trouble): Promise<void>;
  close(): void;
}

export async function openWay(databaseUrl: string): Promise<DatabaseWay> {
  const target = new URL(databaseUrl);
  const path = `${target.searchParams.get('host')}/.s.PGSQL.5432`;
  const pairs = new Set<{ near: Socket; far: Socket }>();
  let trouble: Trouble = 'none';
  const isSilent = (): boolean => trouble === 'silent';
  const server = createServer((near) => {
    const far = connect(path);
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
      // What comes while nothing is said is lost, as on a way that is broken.
      from.on('data', (chunk) => void (isSilent() ? undefined : to.write(chunk)));
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
  return {
    url: `postgresql://${target.username}@127.0.0.1:${port}${target.pathname}`,
    async become(next) {
      if (server.listening && next === 'refused') server.close();
      if (!server.listening && next !== 'refused') await listen(port);
      // A way that was silent is found broken when it comes back.
      if (next !== 'silent') cutAll();
      trouble = next;
    },
    close() {
      cutAll();
      if (server.listening) server.close();
    },
  };
}

/** A service that reaches its database over such a way. */
export async function openTroubledWay(): Promise<Ground> {
  const database = await createDatabase();
  const way = await openWay(database.url);
  const home = await mkdtemp(join(tmpdir(), 'pbaway-'));
  return {
    running: await start(home, { args: ['--database-url', way.url, ...defaultPatience] }),
    troubles: ['silent', 'refused', 'cut'],
    lastsMs: (trouble, dice) => (trouble === 'cut' ? 200 : 2000 + dice.below(5000)),
    become: (trouble) => way.become(trouble as Trouble),
    async close() {
      way.close();
      await database.drop();
      await rm(home, { recursive: true, force: true });
    },
  };
}
