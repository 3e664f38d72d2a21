// What a connector's provider hands out when it is deployed first.

import { needsProvisioning } from '../../connector-kinds/connector-kind.ts';
import { seededProvider } from '../../connector-kinds/seeded-provider.ts';
import type { Keys } from '../../host/key-file.ts';
import type { Database, Scope } from '../../store/database.ts';
import { openValues } from './operations.ts';
import { blockAt, connectorKindOf } from './rules.ts';
import { sealSecrets, splitSecrets } from './secrets.ts';
import { type ConnectorRow, nextBlocks, setDetails } from './store.ts';

/** Has the provider hand out what it has not yet, drawn from the seed of its fabric; answers the ids that may be told. */
export async function provisionConnector(
  database: Database,
  scope: Scope,
  keys: Keys,
  seed: string,
  connector: ConnectorRow,
): Promise<string[]> {
  const kind = connectorKindOf(connector.family);
  const values = await openValues(database, scope, keys, connector);
  if (!kind.order || !needsProvisioning(kind, values)) return [];
  const [block] = await nextBlocks(database, scope);
  const handed = kind.order(values, seededProvider(seed, connector.id, blockAt(block)));
  const { open, secret } = splitSecrets(kind, { ...values, ...handed });
  await setDetails(database, scope, connector.id, JSON.stringify(open));
  await sealSecrets(database, scope, keys, connector.id, splitSecrets(kind, handed).secret);
  return Object.keys(handed)
    .filter((name) => !(name in secret))
    .map((name) => `${name} ${handed[name]}`);
}
