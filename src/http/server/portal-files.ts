// The portal's files, read once and served from memory. Every path that is no file is its first page, which finds its way by itself: each page has an
// address that can be shared.
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { problem } from '../../errors/problems.ts';

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

interface File {
  type: string;
  /** By content encoding; the build has compressed what that makes smaller. */
  forms: Map<string, Buffer>;
}

export interface Portal {
  /** Undefined until the portal was built. */
  page: string | undefined;
  files: Map<string, File>;
}

const encodings: [suffix: string, name: string][] = [
  ['.br', 'br'],
  ['.gz', 'gzip'],
];

async function readFiles(folder: string): Promise<Map<string, File>> {
  const files = new Map<string, File>();
  const names = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error) => {
    // Not built yet. Anything else (no right to read it) is told when the service starts.
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const entry of names.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const [suffix = '', encoding = 'identity'] = encodings.find(([end]) => path.endsWith(end)) ?? [];
    const plain = suffix ? path.slice(0, -suffix.length) : path;
    const name = plain.slice(folder.length + 1);
    const file = files.get(name) ?? { type: types[extname(plain)] ?? 'application/octet-stream', forms: new Map() };
    file.forms.set(encoding, await readFile(path));
    files.set(name, file);
  }
  return files;
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** What was built in this folder. The words are those by which a brand calls things: the portal shows them. */
export async function loadPortal(folder: string, words: object): Promise<Portal> {
  const files = await readFiles(folder);
  const page = files.get('index.html')?.forms.get('identity')?.toString('utf8');
  files.delete('index.html');
  return { page: page?.replaceAll('%WORDS%', () => escaped(JSON.stringify(words))), files };
}

/** Nothing from elsewhere, no frames, and no script but those that were built. Styles that components add carry the nonce of their page. */
const policyOf = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const pageHeaders = (nonce: string): Record<string, string> => ({
  'content-security-policy': policyOf(nonce),
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  'cache-control': 'no-cache',
});

const notBuilt =
  '<!doctype html><html lang="en"><title>Patchbay</title><h1>The portal is not built</h1><p>Run <code>npm ci</code> with its development dependencies, or <code>npm run build</code>, and start Patchbay again. The API works without it.</p></html>';

const isAsset = (name: string): boolean => name.startsWith('assets/');

const isAccepted = (request: FastifyRequest, encoding: string): boolean =>
  new RegExp(`\\b${encoding}\\b(?!\\s*;\\s*q=0(\\.0*)?\\s*(,|$))`, 'i').test(
    String(request.headers['accept-encoding'] ?? ''),
  );

function sendFile(name: string, file: File, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const encoding = ['br', 'gzip'].find((name) => file.forms.has(name) && isAccepted(request, name)) ?? 'identity';
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  // The names of assets hold a hash of what is in them.
  const lasts = isAsset(name) ? 'public, max-age=31536000, immutable' : 'no-cache';
  return reply
    .headers({ 'cache-control': lasts, vary: 'Accept-Encoding' })
    .type(file.type)
    .send(file.forms.get(encoding));
}

function sendPage(page: string | undefined, reply: FastifyReply): FastifyReply {
  const nonce = randomBytes(16).toString('base64url');
  reply.headers(pageHeaders(nonce)).type('text/html; charset=utf-8');
  return page ? reply.send(page.replaceAll('%NONCE%', nonce)) : reply.code(503).send(notBuilt);
}

export function servePortal(app: FastifyInstance, { page, files }: Portal): void {
  const handle = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const name = (request.params as { '*'?: string })['*'] ?? '';
    const file = files.get(name);
    if (file) return sendFile(name, file, request, reply);
    // Of another build than this one; a page in its place would be taken for a script.
    if (isAsset(name)) throw problem('UnknownPath');
    return sendPage(page, reply);
  };
  for (const url of ['/portal', '/portal/*']) app.get(url, { config: { template: '/portal/*' } }, handle);
}

/** Whether somebody looks for a page at the root. */
export const wantsPortal = (request: FastifyRequest): boolean =>
  (request.method === 'GET' || request.method === 'HEAD') &&
  request.url.split('?')[0] === '/' &&
  /\btext\/html\b/i.test(String(request.headers.accept ?? ''));
