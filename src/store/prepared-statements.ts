// Prepared statements whose result columns are described once for each connection. Planning a list costs more than
// reading it, and pg's own named statements let the server describe the columns with every execution: without that, a
// query takes a third less CPU time of this process (docs/decisions.md).
import pg from 'pg';

/** IN lists and multi-row VALUES come in every length, so their texts are not worth preparing. */
const variableLength = /\bin \(\$\d+, \$\d+|\), \(\$\d+/;

/** Callers choose the filters of a list and thereby its text; a plan takes 60 kB of memory in each connection. */
const callerChosen = /\b(limit|count)\b/;
const limits = { callerChosen: 100, fixed: 500 };

const names = new Map<string, string | undefined>();
const counts = { callerChosen: 0, fixed: 0 };

/** Returns undefined for statements that are not prepared: of variable length, or beyond the limits. */
export function statementName(text: string): string | undefined {
  if (names.has(text)) return names.get(text);
  const category = callerChosen.test(text) ? 'callerChosen' : 'fixed';
  if (counts[category] >= limits[category]) return undefined;
  const name = variableLength.test(text) ? undefined : `patchbay_${names.size}`;
  names.set(text, name);
  counts[category]++;
  return name;
}

/** Private parts of pg, which its types do not declare. */
interface PgConnection {
  describe(message: unknown): void;
}
interface RowDescription {
  fields: unknown[];
  _parsers: unknown;
  _prebuiltEmptyResultObject: unknown;
}
interface PgQuery {
  name: string;
  _result: RowDescription;
  _accumulateRows: boolean;
  handleCommandComplete(message: unknown, connection: PgConnection): void;
  prepare(connection: PgConnection): void;
}

const Query = pg.Query as unknown as new (
  config: { name: string; text: string; values: unknown[] },
  callback: (error: Error | undefined, result: pg.QueryResult) => void,
) => PgQuery;

interface ConnectionState {
  /** The same connection, except that it sends no Describe message. */
  withoutDescribe: PgConnection;
  descriptions: Map<string, RowDescription>;
}

/** For each connection, since one may be older than a migration and another newer. */
const states = new WeakMap<PgConnection, ConnectionState>();

function stateOf(connection: PgConnection): ConnectionState {
  const state = states.get(connection) ?? {
    withoutDescribe: Object.create(connection, { describe: { value: () => undefined } }),
    descriptions: new Map(),
  };
  states.set(connection, state);
  return state;
}

class PreparedQuery extends Query {
  override prepare(connection: PgConnection): void {
    const { withoutDescribe, descriptions } = stateOf(connection);
    const description = descriptions.get(this.name);
    if (description) Object.assign(this._result, description);
    this._accumulateRows = true;
    super.prepare(description ? withoutDescribe : connection);
  }

  override handleCommandComplete(message: unknown, connection: PgConnection): void {
    const { fields, _parsers, _prebuiltEmptyResultObject } = this._result;
    stateOf(connection).descriptions.set(this.name, { fields, _parsers, _prebuiltEmptyResultObject });
    super.handleCommandComplete(message, connection);
  }
}

export function runPrepared(
  client: pg.PoolClient,
  name: string,
  text: string,
  values: unknown[],
): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    const query = new PreparedQuery({ name, text, values }, (error, result) =>
      error ? reject(error) : resolve(result),
    );
    client.query(query as unknown as pg.Submittable);
  });
}
