// Two replicas of one database behind a balancer. Each reaches the database through a proxy, which can fail.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { type Client, createClient } from '../test/harness/client.ts';
import { freePort } from '../test/harness/debian-postgres.ts';
import { type RunningService, start } from '../test/harness/process.ts';
import { createDatabase } from '../test/harness/service.ts';
import { type Balancer, replicaNames, startBalancer } from './balancer.ts';
import { type DatabaseProxy, startDatabaseProxy } from './database-proxy.ts';

export interface Replica {
  name: string;
  data: string;
  /** The copy of the project that the next start runs; undefined: this one. */
  project: string | undefined;
  running: RunningService;
  client: Client;
  proxy: DatabaseProxy;
  restart(): Promise<void>;
}

export interface BalancedReplicas {
  replicas: [Replica, Replica];
  balancer: Balancer;
  /** A connection of the database's owner. */
  owner: pg.Client;
  /** A client of the balancer. */
  balanced: Client;
}

/** Longer than usual for a busy machine, and short enough that requests to a silent database do not pile up. */
const patience = ['--database-patience', '10'];

/** Longer than the balancer needs to notice. */
const drainSeconds = 6;

interface Placement {
  home: string;
  databaseUrl: string;
  port: number;
  tls: string[];
  project: string | undefined;
}

async function openReplica(name: string, { home, databaseUrl, port, tls, project }: Placement): Promise<Replica> {
  const data = join(home, name);
  const proxy = await startDatabaseProxy(databaseUrl);
  const args = ['--port', String(port), '--database-url', proxy.url, '--keys', join(home, 'keys.json')];
  const balanced = ['--demo', 'public', '--behind-proxy', '127.0.0.1'];
  const rest = [...balanced, '--drain', String(drainSeconds), ...patience, ...tls];
  const launch = (version: string | undefined) =>
    start(data, { args: [...args, ...rest], ...(version ? { project: version } : {}) });
  const running = await launch(project);
  const ca = join(home, replicaNames[0], 'tls', 'ca.pem');
  const replica: Replica = {
    name,
    data,
    project,
    running,
    proxy,
    client: createClient(running.url, await readFile(ca, 'utf8')),
    async restart() {
      replica.running = await launch(replica.project);
    },
  };
  return replica;
}

/** Starts a database, two replicas of it and a balancer; the stack ends them. `project` is the version that they run. */
export async function openReplicas(
  home: string,
  opened: AsyncDisposableStack,
  project: string | undefined,
): Promise<BalancedReplicas> {
  const database = await createDatabase();
  opened.defer(() => database.drop());
  const tls = join(home, replicaNames[0], 'tls');
  const files = { certificate: join(tls, 'server.pem'), key: join(tls, 'server.key'), authority: join(tls, 'ca.pem') };
  const ports = [await freePort(), await freePort()];
  const replicas: Replica[] = [];
  for (const [index, name] of replicaNames.entries()) {
    const own = index === 0 ? [] : ['--tls-cert', files.certificate, '--tls-key', files.key];
    const placement = { home, databaseUrl: database.url, port: ports[index] ?? 0, tls: own, project };
    const replica = await openReplica(name, placement);
    replicas.push(replica);
    opened.defer(async () => {
      replica.running.child.kill('SIGKILL');
      await replica.running.exited;
      replica.client.close();
      replica.proxy.close();
    });
  }
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  opened.defer(() => owner.end());
  const balancer = await startBalancer(home, files, ports);
  opened.defer(() => balancer.stop());
  await balancer.untilUp([...replicaNames]);
  const balanced = createClient(balancer.url, (await replicas[0]?.running.ca()) ?? '');
  opened.defer(() => balanced.close());
  return { replicas: replicas as [Replica, Replica], balancer, owner, balanced };
}
