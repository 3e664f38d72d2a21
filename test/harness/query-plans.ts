// Captures the executed plans of a service's statements: auto_explain sends them to the client as notices instead of
// writing them to the server's log.
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

/** The fields of a plan node that tests read. Rows are the average of one loop. */
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
  /** Pages that the statement touched, in shared buffers or not. */
  buffers: number;
  root: PlanNode;
}

export interface Plans {
  /** Runs `work` and captures the plans of the statements that services execute meanwhile. */
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

/** Explains the statements of all new connections, and captures the plans of a service in this process. */
export async function capturePlans(databaseUrl: string): Promise<Plans> {
  let notices: string[] | undefined;
  const connect = pg.Client.prototype.connect as (this: pg.Client, ...rest: unknown[]) => unknown;
  const connectAndListen = function (this: pg.Client, ...rest: unknown[]) {
    const { connectionParameters } = this as unknown as { connectionParameters: { application_name?: string } };
    // The service's main pool. Other connections have another application name.
    if (connectionParameters.application_name === 'patchbay')
      this.on('notice', ({ message }) => void notices?.push(message ?? ''));
    return connect.apply(this, rest);
  };
  Object.assign(pg.Client.prototype, { connect: connectAndListen });

  const owner = new pg.Pool({ connectionString: databaseUrl, max: 1, allowExitOnIdle: true });
  // Dropping the database closes this idle connection with an error.
  owner.on('error', () => undefined);
  for (const [name, value] of Object.entries(settings))
    await owner.query(`alter database ${new URL(databaseUrl).pathname.slice(1)} set ${name} = '${value}'`);
  /** The plan of the last statement arrives when the transaction ends, and a read responds before that. */
  async function untilIdle(): Promise<void> {
    const working = `select from pg_stat_activity
      where datname = current_database() and application_name = 'patchbay' and state <> 'idle'`;
    while ((await owner.query(working)).rowCount) await pause(1);
    await pause(2);
  }
  return {
    async during(work) {
      notices = [];
      const value = await work();
      await untilIdle();
      const plans = notices.map(explained).filter((plan) => plan !== undefined);
      notices = undefined;
      return { value, plans };
    },
  };
}

/** Switches it off for one connection. */
export const disableExplain = (client: pg.ClientBase) => client.query('set auto_explain.log_min_duration = -1');
