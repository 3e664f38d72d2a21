// Health of a connector: the state of its BGP sessions, with a diagnosis when one is down.
import type { ConnectorSpec } from '../desired-state.ts';
import type { Diagnosis, Health } from '../driver.ts';
import { address, routerName, sessionName } from './identifiers.ts';
import type { Protocol } from './parsers.ts';
import type { RecentFaults } from './recent-faults.ts';
import { diagnose, isFlooded } from './session-diagnosis.ts';

export interface HealthContext {
  recentFaults: RecentFaults;
  /** The daemon of a node. */
  pidOf(node: string): Promise<number | undefined>;
  /** Runs a program in the namespace of a node. */
  runIn(node: string, words: string[]): Promise<{ succeeded: boolean }>;
}

export async function connectorHealth(
  { recentFaults, pidOf, runIn }: HealthContext,
  { number, router, sessions, prefixLimit }: ConnectorSpec,
  protocols: Map<string, Protocol>,
): Promise<Health> {
  const diagnoses: Diagnosis[] = [];
  const node = routerName(router);
  for (const [index, session] of sessions.entries()) {
    const name = sessionName(number, index);
    const protocol = protocols.get(name);
    if (isFlooded(protocol)) recentFaults.recordFlood(name);
    const hasFlooded = recentFaults.hasFlooded(name);
    // A flooded session comes up again for a moment after every restart.
    if (protocol?.bgpState === 'Established' && !hasFlooded) continue;
    const [{ succeeded: answersPing }, hasWrongKey] = await Promise.all([
      runIn(node, ['fping', '-q', '-c1', '-t300', address(session.remote.address)]),
      recentFaults.hasWrongKeys(await pidOf(node)),
    ]);
    diagnoses.push(diagnose(protocol, session, prefixLimit, { answersPing, hasWrongKey, hasFlooded }));
  }
  const [diagnosis] = diagnoses;
  return diagnosis ? { isUp: false, isPartlyUp: diagnoses.length < sessions.length, diagnosis } : { isUp: true };
}
