// Does a packet cross a cord? Established sessions and routes at both ends are no proof: it is sent, from far end to far end. But not before
// there is a way: one that left too early would be waited for in vain.
import type { ConnectorSpec, LinkSpec } from '../desired-state.ts';
import type { Diagnosis, Probe } from '../driver.ts';
import { LabError } from './command-runner.ts';
import { firstHost } from './layout.ts';
import type { Protocol } from './parsers.ts';
import { address, farEndName, legName } from './resource-names.ts';

interface CrossingTools {
  protocolsOf(router: number): Promise<Map<string, Protocol>>;
  /** Asks the BIRD of a place; throws when it has nothing of what was asked for. */
  ask(place: string, question: string): Promise<string[]>;
  inPlace(place: string, words: string[]): Promise<{ text: string }>;
}

/** Where the far end of a jack answers. */
export const firstAddress = (jack: ConnectorSpec): string => {
  const [prefix] = jack.farEnd.prefixes;
  if (!prefix) throw new LabError('The far end announces nothing');
  return address(firstHost(prefix).address);
};

const lostPackets: Diagnosis = {
  cause: 'Both far ends have routes to each other, and packets do not cross.',
  advice: 'Ask for a traceroute at the looking glass; npm run fabric -- repair brings back what was changed by hand.',
};

export function createProbe({ protocolsOf, ask, inPlace }: CrossingTools) {
  async function missingLeg(
    from: ConnectorSpec,
    to: ConnectorSpec,
    { number }: LinkSpec,
  ): Promise<Diagnosis | undefined> {
    if (from.router === to.router) return undefined;
    const name = legName(number);
    for (const { router } of [from, to])
      if ((await protocolsOf(router)).get(name)?.bgpState !== 'Established')
        return {
          cause: `The routers r${from.router} and r${to.router} do not speak BGP over their leg ${name} yet.`,
          advice:
            'They do within seconds of being configured; npm run fabric -- repair brings back what was changed by hand.',
        };
    return undefined;
  }

  async function missingRoute(from: ConnectorSpec, to: ConnectorSpec): Promise<Diagnosis | undefined> {
    for (const [here, there] of [
      [from, to],
      [to, from],
    ] as const) {
      const question = `show route for ${firstAddress(there)}`;
      if (await ask(farEndName(here.number), question).then(Boolean, () => false)) continue;
      return {
        cause: `The far end of c${here.number} has no route to what the far end of c${there.number} announces.`,
        advice:
          'Routes cross within seconds after both sessions are up; the looking glass (routes) shows what is there.',
      };
    }
    return undefined;
  }

  return async (from: ConnectorSpec, to: ConnectorSpec, cord: LinkSpec): Promise<Probe> => {
    const trouble = (await missingLeg(from, to, cord)) ?? (await missingRoute(from, to));
    if (trouble) return { hasCrossed: false, diagnosis: trouble };
    const patienceMs = Math.ceil(1000 + 2 * cord.delayMs);
    const words = ['fping', '-q', '-C1', `-t${patienceMs}`, '-S', firstAddress(from), firstAddress(to)];
    const { text } = await inPlace(farEndName(from.number), words);
    const milliseconds = Number(/: ([\d.]+)\s*$/m.exec(text)?.[1] ?? Number.NaN);
    return Number.isNaN(milliseconds)
      ? { hasCrossed: false, diagnosis: lostPackets }
      : { hasCrossed: true, milliseconds };
  };
}
