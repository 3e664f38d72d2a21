// Parses bodies: strict UTF-8, bounded depth, no prototype keys. An empty body is undefined.
import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { gunzip, inflate } from 'node:zlib';
import { nextTurn } from '../../concurrency/time-slices.ts';
import { problem } from '../../errors/problems.ts';

const maxDepth = 32;
/** Parsing, renaming and validating this many values takes less than 20 ms. The largest valid body has a fifth of them. */
const maxValues = 5_000;

/** Levels of nesting and number of values in a JSON text, found by a scan so that a hostile text is never parsed. */
export function measureJson(text: string): { depth: number; values: number } {
  let depth = 0;
  let most = 0;
  let values = 1;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const character = text.charCodeAt(index);
    if (inString) {
      if (character === 92) index++;
      else if (character === 34) inString = false;
    } else if (character === 34) inString = true;
    else if (character === 44) values++;
    else if (character === 91 || character === 123) {
      values++;
      if (++depth > most) most = depth;
    } else if (character === 93 || character === 125) depth--;
  }
  return { depth: most, values };
}

/** Rejects what escapes can hide: prototype keys, and lone surrogates, which PostgreSQL cannot store. */
function rejectHidden(parsed: unknown): void {
  const rest: unknown[] = [parsed];
  for (let value = rest.pop(); rest.length > 0 || value !== undefined; value = rest.pop()) {
    if (typeof value === 'string' && !value.isWellFormed())
      throw problem('InvalidJson', {
        sentence: 'The body holds half a character (a lone surrogate), which is no text.',
      });
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) {
      for (const item of value) if (typeof item === 'string' || typeof item === 'object') rest.push(item);
      continue;
    }
    for (const [key, inner] of Object.entries(value)) {
      if (key === '__proto__')
        throw problem('InvalidJson', { sentence: 'The body holds the key "__proto__", which is never accepted.' });
      rest.push(key, inner);
    }
  }
}

export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw problem('InvalidJson');
  const text = bytes.toString('utf8');
  if (text.trim() === '') return undefined;
  const { depth, values } = measureJson(text);
  if (depth > maxDepth) throw problem('BodyTooDeep');
  if (values > maxValues)
    throw problem('TooLarge', { sentence: `The JSON body holds more than ${maxValues} values. Send fewer at once.` });
  try {
    const parsed = JSON.parse(text);
    if (/__proto__|\\u/.test(text)) rejectHidden(parsed);
    return parsed;
  } catch (error) {
    if (error instanceof SyntaxError)
      throw problem('InvalidJson', { sentence: `The body is not valid JSON: ${error.message}` });
    throw error;
  }
}

/** The limit of a line-protocol body after inflation. */
export const maxLineBodyBytes = 10 * 1024 * 1024;
/** Each chunk costs a round trip to the thread pool; a usual body inflates in two or three. */
const chunkBytes = 256 * 1024;
const inflaters = { gzip: promisify(gunzip), 'x-gzip': promisify(gunzip), deflate: promisify(inflate) };

/**
 * A body that may be compressed, inflated up to the limit. Each byte of the UTF-8 text becomes one character: lines are
 * separated by ASCII characters alone, and decoding ten megabytes of other text would hold the event loop.
 */
export async function inflated(bytes: Buffer, encoding = 'identity'): Promise<string> {
  const name = encoding.trim().toLowerCase();
  const inflater = Object.hasOwn(inflaters, name) ? inflaters[name as keyof typeof inflaters] : undefined;
  if (name !== 'identity' && !inflater)
    throw problem('UnsupportedMediaType', { sentence: 'Send the body uncompressed, or with gzip or deflate.' });
  const plain = inflater
    ? await inflater(bytes, { maxOutputLength: maxLineBodyBytes, chunkSize: chunkBytes }).catch(
        (error: { code?: string }) => {
          if (error.code === 'ERR_BUFFER_TOO_LARGE') throw problem('TooLarge');
          throw problem('BadRequest', { sentence: `The body is not what Content-Encoding says (${name}).` });
        },
      )
    : bytes;
  if (plain.length > chunkBytes) await nextTurn();
  if (!isUtf8(plain)) throw problem('BadRequest', { sentence: 'The body is not UTF-8 text.' });
  return plain.toString('latin1');
}

/** A form as OAuth libraries send it. A repeated key is ambiguous and rejected. */
export function parseForm(bytes: Buffer): Record<string, string> {
  const form: Record<string, string> = Object.create(null);
  for (const [key, value] of new URLSearchParams(bytes.toString('utf8'))) {
    if (key in form)
      throw problem('InvalidInput', { details: [{ path: key.slice(0, 64), message: 'must be given once' }] });
    form[key] = value;
  }
  return { ...form };
}
