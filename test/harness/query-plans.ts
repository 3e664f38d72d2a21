// The plans of the statements that a service really executes, with what each of their nodes did: PostgreSQL's own auto_explain, told
// to send them to the client as notices instead of writing them to the server's log.
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

/** A node of a plan, as far as tests look at it. Rows are those of one loop, on an average. */
export interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  'Actual Rows': number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: PlanNode[];
}

export interface ExplainedStatement {
  statement: string;
  milliseconds: number;
  /** Pages of the database that it touched, wherever they were found. */
  buffers: number;
  root: PlanNode;
}

export interface Plans {
  /** What a piece of work comes to, and the plans of the statements that services executed meanwhile. */
  during<T>(work: () => Promise<T>): Promise<{ value: T; plans: ExplainedStatement[] }>;
}

const settings = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_format': 'json',
  'auto_explain.log_level': 'notice',
};

function explained(notice: string): ExplainedStatement | undefined {
  const [, milliseconds, json] = /^duration: ([\d.]+) ms {2}plan:\n(.*)$/s.exec(notice) ?? [];
  if (!json) return undefined;
  const { 'Query Text': text, Plan: root } = JSON.parse(json) as { 'Query Text': string; Plan: PlanNode };
  return {
    statement: text.replaceAll(/\s+/g, ' '),
    milliseconds: Number(milliseconds),
    buffers: root['Shared Hit Blocks'] + root['Shared Read Blocks'],
    root,
  };
}

export const listNodes = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(listNodes)];

/** Who connects to the database from now on has its statements explained; a service in this process is listened to. */
export async function capturePlans(databaseUrl: string): Promise<Plans> {
  let notices: string[] | undefined;
  const connect = pg.Client.prototype.connect as (this: pg.Client, ...rest: unknown[]) => unknown;
  const connectAndListen = function (this: pg.Client, ...rest: unknown[]) {
    const { connectionParameters } = this as unknown as { connectionParameters: { application_name?: string } };
    // The service's own door to the database; its jobs go by another name.
    if (connectionParameters.application_name === 'patchbay')
      this.on('notice', ({ message }) => void notices?.push(message ?? ''));
    return connect.apply(this, rest);
  };
  Object.assign(pg.Client.prototype, { connect: connectAndListen });

  const owner = new pg.Pool({ connectionString: databaseUrl, max: 1, allowExitOnIdle: true });
  // It is idle when the database is dropped.
  owner.on('error', () => undefined);
  for (const [name, value] of Object.entries(settings))
    await owner.query(`alter database ${new URL(databaseUrl).pathname.slice(1)} set ${name} = '${value}'`);
  /** The plan of a transaction's last statement is told when it ends, which nobody waits for who only reads. */
  async function untilTold(): Promise<void> {
    const working = `select from pg_stat_activity where datname = current_database() and application_name = 'patchbay' and state <> 'idle'`;
    while ((await owner.query(working)).rowCount) await pause(1);
    await pause(2);
  }
  return {
    async during(work) {
      notices = [];
      const value = await work();
      await untilTold();
      const plans = notices.map(explained).filter((plan) => plan !== undefined);
      notices = undefined;
      return { value, plans };
    },
  };
}

/** On a connection of one's own that has more to do than to explain itself. */
export const disableExplain = (client: pg.ClientBase) => client.query('set auto_explain.log_min_duration = -1');
