// Values that the provider assigns to a connector on its first deployment.
import { needsProvisioning, readModel, type Values } from '../../connector-kinds/connector-kind.ts';
import { seededProvider } from '../../connector-kinds/seeded-provider.ts';
import type { Keys } from '../../host/key-file.ts';
import type { Database, Scope } from '../../store/database.ts';
import { readValuesWithSecrets } from './operations.ts';
import { addressBlock, connectorKindOf } from './rules.ts';
import { sealSecrets, splitSecrets } from './secrets.ts';
import { type ConnectorRow, setConnectorDetails } from './store.ts';
import { completeWithBlocks } from './subnets.ts';

/** Stores the values that the provider assigns, if any are missing. Returns those that are not secret, for the log. */
export async function provisionConnector(
  database: Database,
  scope: Scope,
  keys: Keys,
  seed: string,
  connector: ConnectorRow,
): Promise<string[]> {
  const kind = connectorKindOf(connector.family);
  const values = await readValuesWithSecrets(database, scope, keys, connector);
  const { provision } = kind;
  if (!provision || !needsProvisioning(kind, values)) return [];
  const assign = (block: number): Values => provision(values, seededProvider(seed, connector.id, addressBlock(block)));
  const owner = { id: connector.id, routerId: connector.router_id, kind, path: kind.name, sent: {} };
  const completed = await completeWithBlocks(
    database,
    scope,
    owner,
    ([block]) => ({ ...values, ...assign(block) }),
    values,
  );
  const assigned = Object.fromEntries(Object.keys(assign(0)).map((name) => [name, completed[name]]));
  const { open, secret } = splitSecrets(kind, completed);
  await setConnectorDetails(database, scope, connector.id, JSON.stringify(open));
  await sealSecrets(database, scope, keys, connector.id, splitSecrets(kind, assigned).secret);
  const shown = readModel(kind, assigned);
  return Object.keys(assigned)
    .filter((name) => !(name in secret))
    .map((name) => `${name} ${shown[name] ?? assigned[name]}`);
}
