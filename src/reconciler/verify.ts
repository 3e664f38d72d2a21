// Does it work? A connector works when its BGP sessions are established, a link when a packet crossed from far end to far end and back.
import { setTimeout as pause } from 'node:timers/promises';
import type { ConnectorSpec, DesiredState, LinkSpec } from '../fabric/desired-state.ts';
import type { Driver, Health } from '../fabric/driver.ts';
import { restrictTo } from './build-desired-state.ts';
import type { Converged } from './converge.ts';
import { type Observation, observationOf } from './resolve-state.ts';
import { type StepLog, Superseded } from './step-log.ts';

/** How long a session or a probe may take before the deployment ends without it. */
const patienceMs = 8000;
const lookAgainMs = 60;

async function until<T>(story: StepLog, look: () => Promise<T>, isGood: (seen: T) => boolean): Promise<T> {
  const end = performance.now() + patienceMs;
  for (;;) {
    story.check();
    const seen = await look();
    if (isGood(seen) || performance.now() > end || story.isEnding()) return seen;
    await pause(lookAgainMs);
  }
}

export const connectorSpecOf = (
  { desiredState: blueprint }: Converged,
  connectorId: string,
): ConnectorSpec | undefined => blueprint.connectors.find((jack) => jack.connectorId === connectorId);

export async function verifyConnector(
  driver: Driver,
  story: StepLog,
  converged: Converged,
  id: string,
): Promise<Observation> {
  const jack = connectorSpecOf(converged, id);
  if (!jack) throw new Superseded();
  const { look } = await story.step('verify', async () => {
    const part = restrictTo(converged.desiredState, [jack.number]);
    const health = async (): Promise<Health | undefined> => (await driver.health(part)).get(jack.number);
    const look = await until(story, health, (seen) => seen?.isUp === true);
    const sessions = jack.sessions.length === 1 ? 'The BGP session is' : 'Both BGP sessions are';
    return {
      look,
      message: look?.isUp ? `${sessions} established.` : `Not established. ${look?.diagnosis?.cause ?? ''}`.trim(),
    };
  });
  return observationOf(undefined, look);
}

export async function verifyLink(
  driver: Driver,
  story: StepLog,
  converged: Converged,
  id: string,
): Promise<Observation> {
  const { desiredState: blueprint } = converged;
  const cord = blueprint.links.find(({ linkId }) => linkId === id);
  if (!cord) throw new Superseded();
  const part = restrictTo(blueprint, [cord.from, cord.to]);
  const ends = await story.step('verify ends', async () => {
    const look = await until(
      story,
      () => driver.health(part),
      (seen) => [...seen.values()].every(({ isUp }) => isUp),
    );
    const down = [...look].filter(([, { isUp }]) => !isUp);
    const names = down.map(([number]) => nameOf(converged, part.connectors, number)).join(' and ');
    const trouble = down[0]?.[1].diagnosis;
    return {
      trouble: trouble && { ...trouble, cause: `Its connector ${names} is not up. ${trouble.cause}` },
      isUp: down.length === 0,
      message: down.length ? `Not up: ${names}.` : 'Both connectors are up.',
    };
  });
  if (!ends.isUp) return { refused: undefined, works: false, diagnosis: ends.trouble };
  return observationOf(undefined, await crossing(driver, story, part, cord));
}

async function crossing(driver: Driver, story: StepLog, part: DesiredState, cord: LinkSpec) {
  return story.step('probe', async () => {
    const seen = await until(
      story,
      () => driver.probe(part, cord),
      ({ hasCrossed }) => hasCrossed,
    );
    const time = seen.milliseconds === undefined ? '' : ` in ${seen.milliseconds} ms`;
    return {
      ...seen,
      message: seen.hasCrossed
        ? `A probe crossed from far end to far end and back${time}${cord.delayMs ? `; ${cord.delayMs} ms each way are the distance` : ''}.`
        : `No probe crossed. ${seen.diagnosis?.cause ?? ''}`.trim(),
    };
  });
}

const nameOf = ({ rows }: Converged, jacks: ConnectorSpec[], number: number): string => {
  const id = jacks.find((jack) => jack.number === number)?.connectorId;
  return rows.connectors.find((one) => one.id === id)?.name ?? '';
};
