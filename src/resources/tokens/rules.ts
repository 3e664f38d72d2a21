// Tokens are opaque: a prefix that tells the kind, 256 random bits, and a checksum that lets a scanner (and this service,
// before it asks the database) tell a real token from a random string.
import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

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

const shape = /^(pb[arpx])_[0-9A-Za-z]{43}([0-9A-Za-z]{6})$/;

/** The kind that a token says it is, or undefined when it cannot be one of ours. */
export function tokenKindOf(token: string): TokenKind | undefined {
  const [, prefix, sum] = shape.exec(token) ?? [];
  if (!prefix || checksum(token.slice(0, -6)) !== sum) return undefined;
  return (Object.keys(prefixes) as TokenKind[]).find((kind) => prefixes[kind] === prefix);
}

export const accessSeconds = 3600;
export const refreshSeconds = 3600;
/** A browser's session ends when it was not used for so long, and at last in any case. */
export const browserIdleSeconds = 12 * 3600;
export const browserSeconds = 7 * 24 * 3600;
export const resetSeconds = 900;
/** A refresh token used again this soon after its rotation is taken for an impatient client, later for a thief. */
export const reuseGraceSeconds = 10;
