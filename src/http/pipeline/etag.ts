// ETags are hashes of the body. A record with volatile keys, such as a user's sign-in times, has a tag of two parts:
// If-None-Match compares both, because the bytes differ; If-Match compares the first, because the record is unchanged.
import { hash } from 'node:crypto';

const digest = (text: string): string => hash('sha256', text, 'base64url').slice(0, 22);

export function entityTag(body: string, value: unknown, volatile: string[]): string {
  if (volatile.length === 0) return `"${digest(body)}"`;
  const lasting = Object.entries(value as object).filter(([key]) => !volatile.includes(key));
  return `"${digest(JSON.stringify(lasting))}.${digest(body)}"`;
}

const tagsOf = (header: string): string[] => header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
const stablePart = (tag: string): string => tag.split('.')[0]?.replaceAll('"', '') ?? '';

export const matchesIfNoneMatch = (header: string, tag: string): boolean =>
  header.trim() === '*' || tagsOf(header).includes(tag);

export const matchesIfMatch = (header: string, tag: string): boolean =>
  header.trim() === '*' || tagsOf(header).some((given) => given !== '' && stablePart(given) === stablePart(tag));
