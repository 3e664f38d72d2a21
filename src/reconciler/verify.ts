// Does it work? A connector works when its BGP sessions are established, a link when a packet crossed from far end to far end and back.
import { setTimeout as pause } from 'node:timers/promises';
import type { Blueprint, Cord, Jack } from '../fabric/desired-state.ts';
import type { Driver, Health } from '../fabric/driver.ts';
import { partOf } from './build-desired-state.ts';
import type { Converged } from './converge.ts';
import { type Seen, seenOf } from './resolve-state.ts';
import { type Story, Superseded } from './step-log.ts';

/** How long a session or a probe may take before the deployment ends without it. */
const patienceMs = 8000;
const lookAgainMs = 60;

async function until<T>(story: Story, look: () => Promise<T>, isGood: (seen: T) => boolean): Promise<T> {
  const end = performance.now() + patienceMs;
  for (;;) {
    story.check();
    const seen = await look();
    if (isGood(seen) || performance.now() > end || story.isEnding()) return seen;
    await pause(lookAgainMs);
  }
}

export const jackOf = ({ blueprint }: Converged, connectorId: string): Jack | undefined =>
  blueprint.jacks.find((jack) => jack.connectorId === connectorId);

export async function verifyConnector(driver: Driver, story: Story, converged: Converged, id: string): Promise<Seen> {
  const jack = jackOf(converged, id);
  if (!jack) throw new Superseded();
  const { look } = await story.step('verify', async () => {
    const part = partOf(converged.blueprint, [jack.number]);
    const health = async (): Promise<Health | undefined> => (await driver.health(part)).get(jack.number);
    const look = await until(story, health, (seen) => seen?.isUp === true);
    const sessions = jack.sessions.length === 1 ? 'The BGP session is' : 'Both BGP sessions are';
    return {
      look,
      message: look?.isUp ? `${sessions} established.` : `Not established. ${look?.trouble?.cause ?? ''}`.trim(),
    };
  });
  return seenOf(undefined, look);
}

export async function verifyLink(driver: Driver, story: Story, converged: Converged, id: string): Promise<Seen> {
  const { blueprint } = converged;
  const cord = blueprint.cords.find(({ linkId }) => linkId === id);
  if (!cord) throw new Superseded();
  const part = partOf(blueprint, [cord.from, cord.to]);
  const ends = await story.step('verify ends', async () => {
    const look = await until(
      story,
      () => driver.health(part),
      (seen) => [...seen.values()].every(({ isUp }) => isUp),
    );
    const down = [...look].filter(([, { isUp }]) => !isUp);
    const names = down.map(([number]) => nameOf(converged, part.jacks, number)).join(' and ');
    const trouble = down[0]?.[1].trouble;
    return {
      trouble: trouble && { ...trouble, cause: `Its connector ${names} is not up. ${trouble.cause}` },
      isUp: down.length === 0,
      message: down.length ? `Not up: ${names}.` : 'Both connectors are up.',
    };
  });
  if (!ends.isUp) return { refused: undefined, works: false, trouble: ends.trouble };
  return seenOf(undefined, await crossing(driver, story, part, cord));
}

async function crossing(driver: Driver, story: Story, part: Blueprint, cord: Cord) {
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
        : `No probe crossed. ${seen.trouble?.cause ?? ''}`.trim(),
    };
  });
}

const nameOf = ({ rows }: Converged, jacks: Jack[], number: number): string => {
  const id = jacks.find((jack) => jack.number === number)?.connectorId;
  return rows.connectors.find((one) => one.id === id)?.name ?? '';
};
