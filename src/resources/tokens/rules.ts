// Opaque tokens: a prefix for the kind, 256 random bits, and a checksum. The checksum lets secret scanners, and this
// service before a database lookup, tell a token from a random string.
import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Keys } from '../../host/key-file.ts';

export type TokenKind = 'access' | 'refresh' | 'personal' | 'reset';

const prefixes: Record<TokenKind, string> = { access: 'pba', refresh: 'pbr', personal: 'pbp', reset: 'pbx' };
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function base62(value: bigint, width: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = alphabet[Number(rest % 62n)] + text;
  return text.padStart(width, '0');
}

const checksum = (text: string): string => base62(BigInt(crc32(text)), 6);

export function newToken(kind: TokenKind): string {
  const text = `${prefixes[kind]}_${base62(BigInt(`0x${randomBytes(32).toString('hex')}`), 43)}`;
  return text + checksum(text);
}

const tokenPattern = /^(pb[arpx])_[0-9A-Za-z]{43}([0-9A-Za-z]{6})$/;

/** The kind that the prefix names, or undefined if the text is no token of this service. */
export function tokenKindOf(token: string): TokenKind | undefined {
  const [, prefix, sum] = tokenPattern.exec(token) ?? [];
  if (!prefix || checksum(token.slice(0, -6)) !== sum) return undefined;
  return (Object.keys(prefixes) as TokenKind[]).find((kind) => prefixes[kind] === prefix);
}

export const accessTokenSeconds = 3600;
export const refreshTokenSeconds = 3600;
/** A browser session ends after this time without use, and at the latest after `browserSessionSeconds`. */
export const browserSessionIdleSeconds = 12 * 3600;
export const browserSessionSeconds = 7 * 24 * 3600;
export const resetTokenSeconds = 900;
/** Reuse of a rotated refresh token counts as a client's retry within this time, and as theft after it. */
export const reuseGraceSeconds = 10;

export const hashToken = (keys: Keys, token: string): Buffer => keys.hash('token', token);

export const fullName = (first: string | null, last: string): string => [first, last].filter(Boolean).join(' ');
