// The looking glass: shows the routes of a connector and runs commands such as ping from its router or far end.
import { retryLater } from '../errors/problems.ts';
import type { ConnectorSpec, DesiredState } from '../fabric/desired-state.ts';
import type { Driver, LookingGlassCommand } from '../fabric/driver.ts';
import type { Keys } from '../host/key-file.ts';
import type { LookingGlass, ShownRoute } from '../resources/deployments/ports.ts';
import { allTenants } from '../store/database.ts';
import { buildDesiredState, restrictTo } from './build-desired-state.ts';
import { type GroupRows, readGroupRows } from './group-store.ts';

/** Commands send packets and start processes, so excess requests are rejected instead of queued. */
const maxCommands = 12;
const maxCommandsPerOrganisation = 3;

/** A killed router is repaired within seconds. */
const retryAfterSeconds = 5;
const orUnavailable = <T>(result: Promise<T>): Promise<T> =>
  result.catch((error) => {
    throw retryLater('FabricUnavailable', retryAfterSeconds, error);
  });

/** The connector, and the connectors at the other ends of its links. */
function withPeers(desiredState: DesiredState, { number }: ConnectorSpec): DesiredState {
  const links = desiredState.links.filter(({ from, to }) => from === number || to === number);
  return restrictTo(desiredState, [number, ...links.flatMap(({ from, to }) => [from, to])]);
}

async function readRoutes(
  driver: Driver,
  desiredState: DesiredState,
  spec: ConnectorSpec,
  rows: GroupRows,
): Promise<ShownRoute[]> {
  const ids = new Map(desiredState.connectors.map(({ number, connectorId }) => [number, connectorId]));
  const names = new Map(rows.connectors.map(({ id, name }) => [id, name]));
  return (await orUnavailable(driver.routes(withPeers(desiredState, spec), spec))).map((route) => {
    const connectorId = ids.get(route.connector) ?? spec.connectorId;
    return { ...route, connectorId, connectorName: names.get(connectorId) ?? '' };
  });
}

export function createLookingGlass({ keys, driver }: { keys: Keys; driver: Driver }): LookingGlass {
  /** The organisation of each running command. */
  const running: string[] = [];

  async function runCommand(
    desiredState: DesiredState,
    spec: ConnectorSpec,
    organisationId: string,
    command: LookingGlassCommand,
    target: string | undefined,
  ): Promise<string[]> {
    if (running.filter((id) => id === organisationId).length >= maxCommandsPerOrganisation)
      throw retryLater('TooManyRequests', 2);
    if (running.length >= maxCommands) throw retryLater('Busy', 2);
    running.push(organisationId);
    try {
      return await orUnavailable(driver.lookingGlass(withPeers(desiredState, spec), spec, command, target));
    } finally {
      running.splice(running.indexOf(organisationId), 1);
    }
  }

  return {
    origin: driver.origin,
    canLook: driver.hasLookingGlass,
    async find(database, groupId, connectorId) {
      const rows = await readGroupRows(database, allTenants, groupId);
      const { desiredState } = buildDesiredState(keys, groupId, rows);
      const spec = desiredState.connectors.find((one) => one.connectorId === connectorId);
      const organisationId = rows.connectors[0]?.organisation_id ?? '';
      return {
        isInFabric: spec !== undefined,
        routes: async () => (spec ? readRoutes(driver, desiredState, spec, rows) : []),
        look: async (command, target) => (spec ? runCommand(desiredState, spec, organisationId, command, target) : []),
      };
    },
  };
}
