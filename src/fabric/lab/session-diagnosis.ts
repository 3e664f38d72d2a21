// Why a session is not up, from what the router sees. Pure.
import type { Session } from '../desired-state.ts';
import type { Diagnosis } from '../driver.ts';
import type { Protocol } from './parsers.ts';
import { address } from './resource-names.ts';

/** What is seen of the other side, beyond what BGP says. */
export interface Neighbour {
  answersPing: boolean;
  /** Its TCP segments come with another key than ours, or with one where we have none. */
  hasWrongKey: boolean;
  /** The session was ended for too many prefixes, perhaps to begin again a moment ago. */
  hasFlooded: boolean;
}

const still: Diagnosis = {
  cause: 'The BGP session is being set up.',
  advice: 'Wait a few seconds; if it stays so, look at the neighbours of its router (looking glass).',
};

export const isFlooded = (protocol: Protocol | undefined): boolean =>
  /limit/i.test(`${protocol?.lastError ?? ''} ${protocol?.info ?? ''}`);

export function diagnose(
  protocol: Protocol | undefined,
  { remote, remoteAs, key }: Session,
  prefixLimit: number,
  { answersPing, hasWrongKey, hasFlooded }: Neighbour,
): Diagnosis {
  const far = address(remote.address);
  const error = `${protocol?.lastError ?? ''} ${protocol?.info ?? ''}`;
  if (!protocol)
    return {
      cause: 'Its router does not know the session.',
      advice: 'It is configured again by itself within seconds.',
    };
  if (hasFlooded)
    return {
      cause: `The far end ${far} announced more than ${prefixLimit} prefixes, and the session was ended.`,
      advice: 'Have the other side filter or aggregate what it announces; the session begins again by itself.',
    };
  if (/bad peer as/i.test(error))
    return {
      cause: `The far end ${far} introduced itself with another AS number than AS${remoteAs}.`,
      advice: `Compare the AS numbers of the two sides: this connector expects AS${remoteAs} there.`,
    };
  if (!answersPing)
    return {
      cause: `The far end ${far} does not answer on the cable.`,
      advice: 'Have the other side look at its equipment, its port and the address of its interface.',
    };
  if (hasWrongKey)
    return {
      cause: `The far end ${far} answers on the cable but not over TCP: the BGP keys (MD5) of the two sides differ.`,
      advice: key
        ? 'Compare the BGP key of this connector with that of the other side.'
        : 'The other side uses a BGP key and this connector has none: agree on one, or on none.',
    };
  if (/refused/i.test(error))
    return {
      cause: `The far end ${far} answers on the cable and refuses BGP.`,
      advice: 'Have the other side look whether its BGP is running, and whether it knows this neighbour.',
    };
  return still;
}
