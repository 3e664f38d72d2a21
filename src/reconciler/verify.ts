// Verifies a deployment: the BGP sessions of a connector must be established, and a probe must cross a link both ways.
import { setTimeout as pause } from 'node:timers/promises';
import type { ConnectorSpec, DesiredState, LinkSpec } from '../fabric/desired-state.ts';
import type { Driver, Health, Probe } from '../fabric/driver.ts';
import { restrictTo } from './build-desired-state.ts';
import type { Converged } from './converge.ts';
import { type Condition, conditionOf } from './resolve-state.ts';
import { type StepLog, Superseded } from './step-log.ts';

/** A session or probe that takes longer counts as not working. */
const timeoutMs = 8000;
const pollMs = 60;

async function poll<T>(stepLog: StepLog, observe: () => Promise<T>, isGood: (observed: T) => boolean): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    stepLog.throwIfSuperseded();
    const observed = await observe();
    if (isGood(observed) || performance.now() > deadline || stepLog.isStopping()) return observed;
    await pause(pollMs);
  }
}

export const findConnectorSpec = ({ desiredState }: Converged, connectorId: string): ConnectorSpec | undefined =>
  desiredState.connectors.find((spec) => spec.connectorId === connectorId);

export async function verifyConnector(
  driver: Driver,
  stepLog: StepLog,
  converged: Converged,
  id: string,
): Promise<Condition> {
  const spec = findConnectorSpec(converged, id);
  if (!spec) throw new Superseded();
  const { health } = await stepLog.step('verify', async () => {
    const part = restrictTo(converged.desiredState, [spec.number]);
    const observe = async (): Promise<Health | undefined> => (await driver.health(part)).get(spec.number);
    const health = await poll(stepLog, observe, (observed) => observed?.isUp === true);
    const sessions = spec.sessions.length === 1 ? 'The BGP session is' : 'Both BGP sessions are';
    const cause = health?.diagnosis?.cause ?? '';
    return { health, message: health?.isUp ? `${sessions} established.` : `Not established. ${cause}`.trim() };
  });
  return conditionOf(undefined, health);
}

export async function verifyLink(
  driver: Driver,
  stepLog: StepLog,
  converged: Converged,
  id: string,
): Promise<Condition> {
  const { desiredState } = converged;
  const spec = desiredState.links.find(({ linkId }) => linkId === id);
  if (!spec) throw new Superseded();
  const part = restrictTo(desiredState, [spec.from, spec.to]);
  const ends = await stepLog.step('verify ends', async () => {
    const health = await poll(
      stepLog,
      () => driver.health(part),
      (observed) => [...observed.values()].every(({ isUp }) => isUp),
    );
    const down = [...health].filter(([, { isUp }]) => !isUp);
    const names = down.map(([number]) => connectorNameOf(converged, number)).join(' and ');
    const diagnosis = down[0]?.[1].diagnosis;
    return {
      diagnosis: diagnosis && { ...diagnosis, cause: `Its connector ${names} is not up. ${diagnosis.cause}` },
      isUp: down.length === 0,
      message: down.length ? `Not up: ${names}.` : 'Both connectors are up.',
    };
  });
  if (!ends.isUp) return { rejection: undefined, works: false, diagnosis: ends.diagnosis };
  return conditionOf(undefined, await probeLink(driver, stepLog, part, spec));
}

const probeLink = (driver: Driver, stepLog: StepLog, part: DesiredState, spec: LinkSpec): Promise<Probe> =>
  stepLog.step('probe', async () => {
    const probe = await poll(
      stepLog,
      () => driver.probe(part, spec),
      ({ hasCrossed }) => hasCrossed,
    );
    if (!probe.hasCrossed) return { ...probe, message: `No probe crossed. ${probe.diagnosis?.cause ?? ''}`.trim() };
    const time = probe.milliseconds === undefined ? '' : ` in ${probe.milliseconds} ms`;
    const distance = spec.delayMs ? `; ${spec.delayMs} ms each way are the distance` : '';
    return { ...probe, message: `A probe crossed from far end to far end and back${time}${distance}.` };
  });

function connectorNameOf({ desiredState, rows }: Converged, number: number): string {
  const id = desiredState.connectors.find((spec) => spec.number === number)?.connectorId;
  return rows.connectors.find((row) => row.id === id)?.name ?? '';
}
