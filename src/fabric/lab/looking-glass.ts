// The looking glass of the lab: routes and neighbours of a connector's router, ping and traceroute from its far end.
import { parseAddress } from '../../values/ip.ts';
import type { ConnectorSpec } from '../desired-state.ts';
import type { LookingGlassCommand } from '../driver.ts';
import { address, farEndName, routerName, sessionName } from './identifiers.ts';
import { farEndAddress } from './probe.ts';
import { LabError } from './programs.ts';

export interface LookingGlassContext {
  /** Sends a command to a node's daemon. */
  query(node: string, command: string): Promise<string[]>;
  /** Runs a program in the namespace of a node; throws when there is no such namespace. */
  runInExisting(node: string, words: string[]): Promise<{ text: string }>;
}

const maxLines = 200;

export const routesCommand = ({ number }: ConnectorSpec): string => `show route table c${number} all`;

async function outputOf(
  { query, runInExisting }: LookingGlassContext,
  connector: ConnectorSpec,
  command: LookingGlassCommand,
  target: string | undefined,
): Promise<string[]> {
  const router = routerName(connector.router);
  if (command === 'routes') return query(router, routesCommand(connector));
  if (command === 'neighbours') {
    const replies = connector.sessions.map((_, index) =>
      query(router, `show protocols all ${sessionName(connector.number, index)}`),
    );
    return (await Promise.all(replies)).flat();
  }
  const parsed = target === undefined ? undefined : parseAddress(target);
  if (parsed === undefined) throw new LabError('The target must be an IPv4 address');
  const [from, to] = [farEndAddress(connector), address(parsed)];
  const words =
    command === 'ping'
      ? ['fping', '-q', '-C3', '-p300', '-t1500', '-S', from, to]
      : ['traceroute', '-n', '-w1', '-q1', '-m12', '-s', from, to];
  // The exit status does not matter: a target that does not answer is a result.
  const { text } = await runInExisting(farEndName(connector.number), words);
  return text.split('\n').filter((line) => line.trim());
}

export const runLookingGlass = async (...args: Parameters<typeof outputOf>): Promise<string[]> =>
  (await outputOf(...args)).slice(0, maxLines);
