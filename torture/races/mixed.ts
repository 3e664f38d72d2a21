// All operations at once on few records.
import { createSeededRandom, type SeededRandom } from '../../test/harness/seeded-random.ts';
import { pick, range } from '../helpers.ts';
import {
  between,
  createAppliance,
  createGroup,
  pickWeighted,
  poolPath,
  type RaceContext,
  type RaceRequest,
  send,
  setPoolTotal,
} from '../race-fixture.ts';
import { checkSums } from './invariants.ts';
import { changeSale, deploy, linkBetween, providerConnector, remove, siteConnector } from './requests.ts';

/** Ids of records that exist, or did a moment ago. */
interface Known {
  group: string[];
  appliance: string[];
  connector: string[];
  link: string[];
}

function anyRequest(context: RaceContext, known: Known, random: SeededRandom): RaceRequest {
  // Without a record of the kind, the id of a group is sent, which is not found.
  const idOf = (kind: keyof Known): string => pick(known[kind], random) ?? known.group[0] ?? '';
  const name = `mixed-${between(random, 1, 12)}`;
  const created = ['200', '402 NotEnoughSpareProducts', '404 NotFound', '409 NameTaken', '409 VlanTaken'];
  const deleted = ['200', '204', '404 NotFound', '405 ConnectorLinked', '405 GroupInUse', '405 ApplianceInUse'];
  const changed = ['200', '404 NotFound', '409 NameTaken'];
  const linked = ['200', '400 InvalidInput', '404 NotFound', '409 NameTaken', '409 AlreadyLinked'];
  const connector = idOf('connector');
  return pickWeighted(random, [
    [6, { ...providerConnector(context, name, idOf('group'), between(random, 0, 1)), allowed: created }],
    [6, { ...siteConnector(name, idOf('group'), idOf('appliance'), between(random, 1, 6)), allowed: created }],
    [7, { ...remove('connector', connector), allowed: deleted }],
    [5, { ...linkBetween(name, connector, idOf('connector')), allowed: linked }],
    [4, { ...remove('link', idOf('link')), allowed: deleted }],
    [2, { ...remove('group', idOf('group')), allowed: deleted }],
    [2, { ...remove('appliance', idOf('appliance')), allowed: deleted }],
    [2, { ...deploy('connector', connector), allowed: changed }],
    [2, { ...deploy('link', idOf('link')), allowed: changed }],
    [2, { operation: 'rename', method: 'PUT', path: `/flow/connector/${connector}`, body: { name }, allowed: changed }],
    [1, changeSale(context, poolPath(context), { total: between(random, 2, 10) }, 'BelowUsed')],
  ]);
}

export async function mixedRequests(context: RaceContext, rounds: number): Promise<void> {
  await setPoolTotal(context, 6);
  const known: Known = { group: [], appliance: [], connector: [], link: [] };
  for (const _ of range(rounds)) {
    for (const kind of ['group', 'appliance', 'connector', 'link'] as const) {
      const rows = await context.f.owner.query(`select id from ${kind}s where organisation_id = $1`, [context.id]);
      known[kind] = rows.rows.map(({ id }) => id);
    }
    while (known.group.length < 3) known.group.push(await createGroup(context));
    while (known.appliance.length < 3) known.appliance.push(await createAppliance(context));
    const worker = async (number: number) => {
      const random = createSeededRandom(`${context.random.next()} ${number}`);
      for (const __ of range(3)) {
        const request = anyRequest(context, known, random);
        const { status, body } = await send(context, request);
        if (status !== 200 || !request.operation.startsWith('create')) continue;
        known[request.operation === 'create link' ? 'link' : 'connector'].push(body.id);
      }
    };
    await Promise.all(range(20).map(worker));
    await checkSums(context);
  }
}
