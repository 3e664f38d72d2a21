// What the fabric shows of a connector to those who ask: its routes, and the looking glass.

import { retryLater } from '../errors/problems.ts';
import type { ConnectorSpec } from '../fabric/desired-state.ts';
import type { Driver, HeldRoute, LookingGlassCommand } from '../fabric/driver.ts';
import type { Keys } from '../host/key-file.ts';
import { allTenants, type Database } from '../store/database.ts';
import { buildDesiredState, type GroupDesiredState, restrictTo } from './build-desired-state.ts';
import { type GroupRows, readGroupRows } from './group-store.ts';

/** Looking sends packets and starts programs: so many at once, in all and for an organisation, and nobody queues. */
const looksAtOnce = 12;
const looksPerOrganisation = 3;

/** A jack and those at the other ends of its cords. */
const withPeers = ({ desiredState: blueprint }: GroupDesiredState, number: number) =>
  restrictTo(blueprint, [
    number,
    ...blueprint.links.filter(({ from, to }) => from === number || to === number).flatMap(({ from, to }) => [from, to]),
  ]);

export type LookingGlass = ReturnType<typeof createLookingGlass>;
/** A connector in the drawing of its group; without a jack it is not in the fabric. */
export interface LookingGlassTarget {
  rows: GroupRows;
  drawing: GroupDesiredState;
  jack: ConnectorSpec | undefined;
}
export type ShownRoute = HeldRoute & { connectorId: string; connectorName: string };

/** A router that was killed is back within seconds. */
const comesBackSeconds = 5;
const asking = <T>(answer: Promise<T>): Promise<T> =>
  answer.catch((error) => {
    throw retryLater('FabricUnavailable', comesBackSeconds, error);
  });

export function createLookingGlass({ keys, driver }: { keys: Keys; driver: Driver }) {
  const looks: string[] = [];
  return {
    origin: driver.origin,
    canLook: driver.can.look,
    async find(database: Database, groupId: string, connectorId: string): Promise<LookingGlassTarget> {
      const rows = await readGroupRows(database, allTenants, groupId);
      const drawing = buildDesiredState(keys, groupId, rows);
      return { rows, drawing, jack: drawing.desiredState.connectors.find((one) => one.connectorId === connectorId) };
    },
    async routesOf({ jack, drawing, rows }: LookingGlassTarget): Promise<ShownRoute[]> {
      if (!jack) return [];
      const ids = new Map(drawing.desiredState.connectors.map((one) => [one.number, one.connectorId]));
      const names = new Map(rows.connectors.map((row) => [row.id, row.name]));
      return (await asking(driver.routes(withPeers(drawing, jack.number), jack))).map((route) => {
        const connectorId = ids.get(route.connector) ?? jack.connectorId;
        return { ...route, connectorId, connectorName: names.get(connectorId) ?? '' };
      });
    },
    async lookAt(
      { jack, drawing, rows }: LookingGlassTarget,
      command: LookingGlassCommand,
      target: string | undefined,
    ): Promise<string[]> {
      if (!jack) return [];
      const owner = rows.connectors[0]?.organisation_id ?? '';
      if (looks.filter((one) => one === owner).length >= looksPerOrganisation) throw retryLater('TooManyRequests', 2);
      if (looks.length >= looksAtOnce) throw retryLater('Busy', 2);
      looks.push(owner);
      try {
        return await asking(driver.look(withPeers(drawing, jack.number), jack, command, target));
      } finally {
        looks.splice(looks.indexOf(owner), 1);
      }
    },
  };
}
