// The driver under the application, with the first wall taken away behind its back: conditions on the organisation always hold. Nothing in src
// knows of it; what keeps tenants apart then is row-level security alone.
import pg from 'pg';
import { appRole } from '../../src/store/database.ts';

export interface Opening {
  /** How many statements lost their condition. */
  opened: () => number;
  close: () => void;
}

type Send = (this: pg.Client, ...sent: unknown[]) => unknown;
type Config = { text: string; name?: string; values?: unknown[] };

const condition = /(?:"?\w+"?\.)?"?organisation_id"? = (\$\d+)/g;
const begins = /^begin .*set local patchbay\.organisation = '([^']*)'/;

/** Takes the conditions away from what is asked for an organisation; `also` the second wall, to see that somebody would notice. */
export function removeFilter(also: { secondWall?: boolean } = {}): Opening {
  const proto = pg.Client.prototype as unknown as { query: Send };
  const { query } = proto;
  const scoped = new WeakSet<pg.Client>();
  let opened = 0;

  function rewrite(client: pg.Client, config: Config): Config {
    const { text } = config;
    const [, organisation] = begins.exec(text) ?? [];
    // The service's own work has no wall to lean on.
    if (organisation !== undefined) organisation === '' ? scoped.delete(client) : scoped.add(client);
    else if (text.includes(`set_config('patchbay.organisation', $1`))
      config.values?.[0] === '' ? scoped.delete(client) : scoped.add(client);
    if (organisation && also.secondWall)
      return { ...config, text: text.replace(`set local role = '${appRole}'`, 'set local role = none') };
    const free = scoped.has(client) ? text.replace(condition, '($1::uuid is not null)') : text;
    if (free === text) return config;
    opened++;
    return { ...config, text: free, ...(config.name ? { name: `${config.name}_open` } : {}) };
  }

  proto.query = function (...sent) {
    const [first, ...rest] = sent;
    const text = typeof first === 'string' ? first : (first as Config | undefined)?.text;
    if (typeof text !== 'string') return query.apply(this, sent);
    const config: Config = typeof first === 'string' ? { text } : (first as Config);
    const values = Array.isArray(rest[0]) ? { values: rest[0] } : {};
    const changed = rewrite(this, { ...config, ...values });
    if (changed.text === text) return query.apply(this, sent);
    return query.apply(this, [changed, ...(Array.isArray(rest[0]) ? rest.slice(1) : rest)]);
  };
  return {
    opened: () => opened,
    close: () => {
      proto.query = query;
    },
  };
}
