// Chance that can be had again: the same seed and the same words always draw the same.
import { createHash } from 'node:crypto';
import type { Provider } from '../connector-kinds/connector-kind.ts';
import type { Cidr } from '../values/ip.ts';

export const digest = (...words: string[]): Buffer => createHash('sha256').update(JSON.stringify(words)).digest();

/** From 0 to just below 1. */
export const fraction = (...words: string[]): number => digest(...words).readUInt32BE(0) / 2 ** 32;

/** What the provider of a connector hands out: always the same for it. */
export const providerOf = (seed: string, connectorId: string, block: Cidr): Provider => ({
  identifier: (prefix) =>
    `${prefix}-${digest(seed, connectorId, prefix).readBigUInt64BE(0).toString(36).slice(0, 8).padStart(8, '0')}`,
  number: (from, to) => from + Math.floor(fraction(seed, connectorId, 'number') * (to - from + 1)),
  key: () => digest(seed, connectorId, 'key').toString('base64url').slice(0, 24),
  block,
});
