// Reads and parses the body of a request, within the limit and the media types of its route.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { measureWork } from '../../concurrency/work-account.ts';
import { problem } from '../../errors/problems.ts';
import type { Route } from '../route.ts';
import { maxLineBodyBytes, parseForm, parseJson } from './body.ts';
import type { InflateBudget } from './inflate-budget.ts';

const maxBodyBytes = 1024 * 1024;
/** A sign-in needs no more. */
const maxCredentialBytes = 16 * 1024;
/** A megabyte of short fields takes a tenth of a second to parse. */
const maxFormBytes = 16 * 1024;

function maxBytesOf(route: Route): number {
  if (route.access.by === 'client' || route.access.by === 'portal') return maxCredentialBytes;
  return route.takesLines ? maxLineBodyBytes : maxBodyBytes;
}

/** The rest of a body that is refused is not read, so the connection cannot be used again. */
const tooLarge = () => problem('TooLarge', { headers: { connection: 'close' } });

/** Each chunk costs time, however short it is. TLS records divide some, so the mean may be below what is asked for. */
const maxTinyChunks = 10_000;
const tinyChunkBytes = 32;
const tooManyChunks = () =>
  problem('BadRequest', {
    sentence: 'The body is sent in chunks of a few bytes. Send chunks of at least 64 bytes, or a Content-Length.',
    headers: { connection: 'close' },
  });

/** The bytes of a body in one buffer: a buffer for each chunk would take a hundred times the memory of a one-byte chunk. */
class BodyBuffer {
  readonly #maxBytes: number;
  #bytes: Buffer = Buffer.alloc(0);
  #length = 0;
  #chunks = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Throws a problem for a body that is not taken. */
  add(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    if (length > this.#maxBytes) throw tooLarge();
    if (++this.#chunks > maxTinyChunks && length < this.#chunks * tinyChunkBytes) throw tooManyChunks();
    // Most bodies are one chunk, which is not copied.
    if (this.#chunks === 1) this.#bytes = chunk;
    else {
      // The first chunk is a view on memory that is not the body's own.
      if (this.#chunks === 2 || length > this.#bytes.length) this.#grow(length);
      chunk.copy(this.#bytes, this.#length);
    }
    this.#length = length;
  }

  #grow(length: number): void {
    const grown = Buffer.allocUnsafe(Math.min(this.#maxBytes, Math.max(2 * length, 1024)));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }
}

function readBytes(message: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const declared = message.headers['content-length'];
  if (declared !== undefined && Number(declared) > maxBytes) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const body = new BodyBuffer(maxBytes);
    message.on('data', (chunk: Buffer) => {
      try {
        body.add(chunk);
      } catch (error) {
        message.pause().removeAllListeners('data');
        reject(error);
      }
    });
    message.once('end', () => resolve(body.bytes));
    // A client that disconnects gets no response; the rejection only ends the work.
    message.once('error', () => reject(problem('BadRequest')));
    message.once('close', () => {
      if (!message.complete) reject(problem('BadRequest'));
    });
  });
}

type Parser = (bytes: Buffer) => unknown;

function parserOf(route: Route, mediaType: string): Parser {
  if (mediaType === 'application/json') return parseJson;
  if (mediaType === 'application/x-www-form-urlencoded' && route.takesForm) return parseForm;
  throw problem('UnsupportedMediaType');
}

/** The parsed body; the text of the lines for a route that takes lines; undefined where the request has no body. */
export async function readBody(
  route: Route,
  message: IncomingMessage,
  response: ServerResponse,
  budget: InflateBudget,
): Promise<unknown> {
  const { headers } = message;
  const mediaType = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
  const isEmpty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
  if (isEmpty && mediaType === '') return undefined;
  const encoding = headers['content-encoding'];
  // Agents label their lines with various media types.
  if (route.takesLines) return budget.inflate(response, await readBytes(message, maxBytesOf(route)), encoding);
  const parse = parserOf(route, mediaType);
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') throw problem('UnsupportedMediaType');
  const bytes = await readBytes(message, parse === parseForm ? maxFormBytes : maxBytesOf(route));
  return measureWork(() => parse(bytes));
}
