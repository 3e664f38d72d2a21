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

/** The rest of a body that is too large is not read, so the connection cannot be used again. */
const tooLarge = () => problem('TooLarge', { headers: { connection: 'close' } });

function readBytes(message: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const declared = message.headers['content-length'];
  if (declared !== undefined && Number(declared) > maxBytes) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    message.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= maxBytes) return void chunks.push(chunk);
      message.pause().removeAllListeners('data');
      reject(tooLarge());
    });
    message.once('end', () => resolve(Buffer.concat(chunks, length)));
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
