// A provider whose ids, numbers and keys are derived from a seed: the same connector always gets the same ones.
import { digest, fraction } from '../fabric/deterministic-hash.ts';
import type { Cidr } from '../values/ip.ts';
import type { AssignmentSource } from './connector-kind.ts';

export const seededProvider = (seed: string, connectorId: string, block: Cidr): AssignmentSource => ({
  identifier: (prefix) =>
    `${prefix}-${digest(seed, connectorId, prefix).readBigUInt64BE(0).toString(36).slice(0, 8).padStart(8, '0')}`,
  number: (from, to) => from + Math.floor(fraction(seed, connectorId, 'number') * (to - from + 1)),
  key: () => digest(seed, connectorId, 'key').toString('base64url').slice(0, 24),
  block,
});
