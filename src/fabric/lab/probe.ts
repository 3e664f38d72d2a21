// Probes a link with a ping from far end to far end: established sessions and routes at both ends do not prove that
// packets cross. The ping waits until both ends have routes, since an earlier one would only run into its timeout.
import type { ConnectorSpec, LinkSpec } from '../desired-state.ts';
import type { Diagnosis, Probe } from '../driver.ts';
import { address, farEndName, legName } from './identifiers.ts';
import { firstHost } from './layout.ts';
import type { Protocol } from './parsers.ts';
import { LabError } from './programs.ts';

export interface ProbeContext {
  /** Protocols of a router by name; undefined when its daemon does not answer. */
  protocolsOf(router: number): Promise<Map<string, Protocol> | undefined>;
  /** Sends a command to a node's daemon; throws when the reply is an error. */
  query(node: string, command: string): Promise<string[]>;
  /** Runs a program in the namespace of a node. */
  runIn(node: string, words: string[]): Promise<{ text: string }>;
}

/** The address that a connector's far end answers on. */
export const farEndAddress = ({ farEnd }: ConnectorSpec): string => {
  const [prefix] = farEnd.prefixes;
  if (!prefix) throw new LabError('The far end announces nothing');
  return address(firstHost(prefix).address);
};

const packetsLost: Diagnosis = {
  cause: 'Both far ends have routes to each other, but packets do not cross.',
  advice: 'Run a traceroute in the looking glass; npm run fabric -- repair reverts manual changes.',
};

async function diagnoseLeg(
  { protocolsOf }: ProbeContext,
  from: ConnectorSpec,
  to: ConnectorSpec,
  { number }: LinkSpec,
): Promise<Diagnosis | undefined> {
  if (from.router === to.router) return undefined;
  const name = legName(number);
  for (const { router } of [from, to])
    if ((await protocolsOf(router))?.get(name)?.bgpState !== 'Established')
      return {
        cause: `The routers r${from.router} and r${to.router} have no BGP session over their leg ${name} yet.`,
        advice: 'It is established within seconds; npm run fabric -- repair reverts manual changes.',
      };
  return undefined;
}

async function diagnoseRoutes(
  { query }: ProbeContext,
  from: ConnectorSpec,
  to: ConnectorSpec,
): Promise<Diagnosis | undefined> {
  for (const [here, there] of [
    [from, to],
    [to, from],
  ] as const) {
    const command = `show route for ${farEndAddress(there)}`;
    if (await query(farEndName(here.number), command).then(Boolean, () => false)) continue;
    return {
      cause: `The far end of c${here.number} has no route to the prefixes of the far end of c${there.number}.`,
      advice: 'Routes cross within seconds after both sessions are up; the looking glass (routes) lists them.',
    };
  }
  return undefined;
}

export async function probeLink(
  context: ProbeContext,
  from: ConnectorSpec,
  to: ConnectorSpec,
  link: LinkSpec,
): Promise<Probe> {
  const diagnosis = (await diagnoseLeg(context, from, to, link)) ?? (await diagnoseRoutes(context, from, to));
  if (diagnosis) return { hasCrossed: false, diagnosis };
  const timeoutMs = Math.ceil(1000 + 2 * link.delayMs);
  const words = ['fping', '-q', '-C1', `-t${timeoutMs}`, '-S', farEndAddress(from), farEndAddress(to)];
  const { text } = await context.runIn(farEndName(from.number), words);
  const milliseconds = Number(/: ([\d.]+)\s*$/m.exec(text)?.[1] ?? Number.NaN);
  return Number.isNaN(milliseconds)
    ? { hasCrossed: false, diagnosis: packetsLost }
    : { hasCrossed: true, milliseconds };
}
