// Everything at once, on few records, so that all meet all.
import { createSeededRandom, type SeededRandom } from '../../test/harness/seeded-random.ts';
import {
  type Arena,
  between,
  type Deed,
  makeAppliance,
  makeGroup,
  oneOf,
  perform,
  poolPath,
  range,
  sell,
  weighed,
} from '../race-fixture.ts';
import { settled } from './invariants.ts';
import { deploy, join, provider, remove, resell, site } from './requests.ts';

/** What is known to be there, or was a moment ago. */
interface Known {
  group: string[];
  appliance: string[];
  connector: string[];
  link: string[];
}

function anyDeed(arena: Arena, known: Known, dice: SeededRandom): Deed {
  // Where there is none yet, something else is named: that is not found.
  const pick = (kind: keyof Known): string => oneOf(known[kind], dice.next) ?? known.group[0] ?? '';
  const name = `whirl-${between(dice, 1, 12)}`;
  const created = ['200', '402 NotEnoughSpareProducts', '404 NotFound', '409 NameTaken', '409 VlanTaken'];
  const deleted = ['200', '204', '404 NotFound', '405 ConnectorLinked', '405 GroupInUse', '405 ApplianceInUse'];
  const changed = ['200', '404 NotFound', '409 NameTaken'];
  const linked = ['200', '400 InvalidInput', '404 NotFound', '409 NameTaken', '409 AlreadyLinked'];
  const connector = pick('connector');
  return weighed(dice, [
    [6, { ...provider(arena, name, pick('group'), between(dice, 0, 1)), may: created }],
    [6, { ...site(name, pick('group'), pick('appliance'), between(dice, 1, 6)), may: created }],
    [7, { ...remove('connector', connector), may: deleted }],
    [5, { ...join(name, connector, pick('connector')), may: linked }],
    [4, { ...remove('link', pick('link')), may: deleted }],
    [2, { ...remove('group', pick('group')), may: deleted }],
    [2, { ...remove('appliance', pick('appliance')), may: deleted }],
    [2, { ...deploy('connector', connector), may: changed }],
    [2, { ...deploy('link', pick('link')), may: changed }],
    [2, { what: 'rename', method: 'PUT', path: `/flow/connector/${connector}`, body: { name }, may: changed }],
    [1, resell(arena, poolPath(arena), { total: between(dice, 2, 10) }, 'BelowUsed')],
  ]);
}

export async function whirl(arena: Arena, rounds: number): Promise<void> {
  await sell(arena, 6);
  const known: Known = { group: [], appliance: [], connector: [], link: [] };
  for (const _ of range(rounds)) {
    for (const kind of ['group', 'appliance', 'connector', 'link'] as const) {
      const rows = await arena.f.owner.query(`select id from ${kind}s where organisation_id = $1`, [arena.id]);
      known[kind] = rows.rows.map(({ id }) => id);
    }
    while (known.group.length < 3) known.group.push(await makeGroup(arena));
    while (known.appliance.length < 3) known.appliance.push(await makeAppliance(arena));
    const worker = async (number: number) => {
      const dice = createSeededRandom(`${arena.dice.next()} ${number}`);
      for (const __ of range(3)) {
        const deed = anyDeed(arena, known, dice);
        const { status, body } = await perform(arena, deed);
        if (status !== 200 || !deed.what.startsWith('create')) continue;
        known[deed.what === 'create link' ? 'link' : 'connector'].push(body.id);
      }
    };
    await Promise.all(range(20).map(worker));
    await settled(arena);
  }
}
