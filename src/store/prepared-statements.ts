// Statements that a connection keeps: parsed and planned once, and their columns described once. Planning a list costs more than reading it. The driver
// names statements, but lets the server describe the columns with each execution, which costs as much as a look-up by key itself.
import pg from 'pg';

/** Lists of values give statements of every length, each of which would be kept: two values are the sign of one. */
const hasList = /\bin \(\$\d+, \$\d+|\), \(\$\d+/;

/** Who asks chooses the filters of a list, and with them its text: there are hundreds, and the plan of one takes 60 kB of each connection. */
const isChosen = /\b(limit|count)\b/;
const mostChosen = 100;
/** All others are ours. */
const mostOwn = 500;

const names = new Map<string, string | undefined>();
const kept = { chosen: 0, own: 0 };

/** What a statement is kept as. Those that come too late are planned each time. */
export function statementName(text: string): string | undefined {
  if (names.has(text)) return names.get(text);
  const sort = isChosen.test(text) ? 'chosen' : 'own';
  if (kept[sort] >= (sort === 'chosen' ? mostChosen : mostOwn)) return undefined;
  const name = hasList.test(text) ? undefined : `patchbay_${names.size}`;
  names.set(text, name);
  kept[sort]++;
  return name;
}

/** What the driver has inside, of which its types say nothing. */
interface Wire {
  describe(what: unknown): void;
}
interface Shape {
  fields: unknown[];
  _parsers: unknown;
  _prebuiltEmptyResultObject: unknown;
}
interface Inside {
  name: string;
  _result: Shape;
  _accumulateRows: boolean;
  handleCommandComplete(message: unknown, connection: Wire): void;
  prepare(connection: Wire): void;
}

const Query = pg.Query as unknown as new (
  config: { name: string; text: string; values: unknown[] },
  callback: (error: Error | undefined, result: pg.QueryResult) => void,
) => Inside;

interface Known {
  /** The same connection, but for questions about columns. */
  silent: Wire;
  shapes: Map<string, Shape>;
}

/** Of each connection for itself: one may have been made before a migration, another after it. */
const knownOn = new WeakMap<Wire, Known>();

function known(connection: Wire): Known {
  const found = knownOn.get(connection) ?? {
    silent: Object.create(connection, { describe: { value: () => undefined } }),
    shapes: new Map(),
  };
  knownOn.set(connection, found);
  return found;
}

class KeptStatement extends Query {
  override prepare(connection: Wire): void {
    const { silent, shapes } = known(connection);
    const shape = shapes.get(this.name);
    if (shape) Object.assign(this._result, shape);
    this._accumulateRows = true;
    super.prepare(shape ? silent : connection);
  }

  override handleCommandComplete(message: unknown, connection: Wire): void {
    const { fields, _parsers, _prebuiltEmptyResultObject } = this._result;
    known(connection).shapes.set(this.name, { fields, _parsers, _prebuiltEmptyResultObject });
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
    const statement = new KeptStatement({ name, text, values }, (error, result) =>
      error ? reject(error) : resolve(result),
    );
    client.query(statement as unknown as pg.Submittable);
  });
}
