// Rewrites statements in the database driver so that conditions on the organisation always hold. Row-level security
// alone then isolates tenants.
import pg from 'pg';
import { appRole } from '../../src/store/database.ts';

export interface Removal {
  /** The number of rewritten statements. */
  rewritten: () => number;
  undo: () => void;
}

type Query = (this: pg.Client, ...args: unknown[]) => unknown;
type Config = { text: string; name?: string; values?: unknown[] };

const condition = /(?:"?\w+"?\.)?"?organisation_id"? = (\$\d+)/g;
const beginStatement = /^begin .*set local patchbay\.organisation = '([^']*)'/;

/** Removes the conditions from statements with a tenant scope, and row-level security too where asked for. */
export function removeFilter(also: { rowSecurity?: boolean } = {}): Removal {
  const proto = pg.Client.prototype as unknown as { query: Query };
  const { query } = proto;
  const scoped = new WeakSet<pg.Client>();
  let rewritten = 0;

  function rewrite(client: pg.Client, config: Config): Config {
    const { text } = config;
    const [, organisation] = beginStatement.exec(text) ?? [];
    // Work of the service itself has no row-level security.
    if (organisation !== undefined) organisation === '' ? scoped.delete(client) : scoped.add(client);
    else if (text.includes(`set_config('patchbay.organisation', $1`))
      config.values?.[0] === '' ? scoped.delete(client) : scoped.add(client);
    if (organisation && also.rowSecurity)
      return { ...config, text: text.replace(`set local role = '${appRole}'`, 'set local role = none') };
    const unfiltered = scoped.has(client) ? text.replace(condition, '($1::uuid is not null)') : text;
    if (unfiltered === text) return config;
    rewritten++;
    return { ...config, text: unfiltered, ...(config.name ? { name: `${config.name}_open` } : {}) };
  }

  proto.query = function (...args) {
    const [first, ...rest] = args;
    const text = typeof first === 'string' ? first : (first as Config | undefined)?.text;
    if (typeof text !== 'string') return query.apply(this, args);
    const config: Config = typeof first === 'string' ? { text } : (first as Config);
    const values = Array.isArray(rest[0]) ? { values: rest[0] } : {};
    const changed = rewrite(this, { ...config, ...values });
    if (changed.text === text) return query.apply(this, args);
    return query.apply(this, [changed, ...(Array.isArray(rest[0]) ? rest.slice(1) : rest)]);
  };
  return {
    rewritten: () => rewritten,
    undo: () => {
      proto.query = query;
    },
  };
}
