// Why a BGP session is down, from what the router observes. Pure.
import type { Session } from '../desired-state.ts';
import type { Diagnosis } from '../driver.ts';
import { address } from './identifiers.ts';
import type { Protocol } from './parsers.ts';

/** Observations of the far end beyond the BGP state. */
export interface Neighbour {
  answersPing: boolean;
  /** Its TCP segments carry a wrong or an unexpected key. */
  hasWrongKey: boolean;
  /** The session was recently shut down for too many prefixes. */
  hasFlooded: boolean;
}

const settingUp: Diagnosis = {
  cause: 'The BGP session is being set up.',
  advice: 'Wait a few seconds; if it does not come up, look at the neighbours of its router (looking glass).',
};

const errorText = (protocol: Protocol | undefined): string => `${protocol?.lastError ?? ''} ${protocol?.info ?? ''}`;

export const isFlooded = (protocol: Protocol | undefined): boolean => /limit/i.test(errorText(protocol));

export function diagnose(
  protocol: Protocol | undefined,
  { remote, remoteAs, key }: Session,
  prefixLimit: number,
  { answersPing, hasWrongKey, hasFlooded }: Neighbour,
): Diagnosis {
  const farEnd = address(remote.address);
  const error = errorText(protocol);
  if (!protocol)
    return {
      cause: 'Its router does not know the session.',
      advice: 'The router is configured again automatically within seconds.',
    };
  if (hasFlooded)
    return {
      cause: `The far end ${farEnd} announced more than ${prefixLimit} prefixes, and the session was shut down.`,
      advice: 'Ask the other side to filter or aggregate the prefixes it announces; the session restarts by itself.',
    };
  if (/bad peer as/i.test(error))
    return {
      cause: `The far end ${farEnd} uses another AS number than AS${remoteAs}.`,
      advice: `Compare the AS numbers of the two sides: this connector expects AS${remoteAs} there.`,
    };
  if (!answersPing)
    return {
      cause: `The far end ${farEnd} does not answer on the cable.`,
      advice: 'Ask the other side to check its equipment, its port and the address of its interface.',
    };
  if (hasWrongKey)
    return {
      cause: `The far end ${farEnd} answers on the cable but not over TCP: the BGP keys (MD5) of the two sides differ.`,
      advice: key
        ? 'Compare the BGP key of this connector with that of the other side.'
        : 'The other side uses a BGP key and this connector has none: agree on one, or on none.',
    };
  if (/refused/i.test(error))
    return {
      cause: `The far end ${farEnd} answers on the cable and refuses BGP.`,
      advice: 'Ask the other side whether its BGP daemon is running and has this neighbour configured.',
    };
  return settingUp;
}
