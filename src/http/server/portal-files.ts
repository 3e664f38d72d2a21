// Serves the built portal from memory. A path that is not a file gets the index page, whose router shows the page of that path.
import { hash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { problem } from '../../errors/problems.ts';
import type { HttpResponse } from '../pipeline/response.ts';
import type { HttpRequest } from '../request/http-request.ts';
import type { AccentColours, Scheme } from './portal-colours.ts';
import type { Logo } from './portal-logo.ts';

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
  /** By content encoding; the build compresses the files that become smaller. */
  forms: Map<string, Buffer>;
}

/** How the portal looks. */
export interface PortalBrand {
  name: string;
  logo: Record<Scheme, Logo> | undefined;
  colours: Record<Scheme, AccentColours> | undefined;
  supportUrl: string | undefined;
  supportEmail: string | undefined;
}

export interface Portal {
  /** Where the portal is not built, a page that says so. */
  page: string;
  isBuilt: boolean;
  files: Map<string, File>;
}

const encodings: [suffix: string, name: string][] = [
  ['.br', 'br'],
  ['.gz', 'gzip'],
];

async function readFiles(folder: string): Promise<Map<string, File>> {
  const files = new Map<string, File>();
  const names = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error) => {
    // The portal is not built. Any other error, such as a missing permission, fails the start.
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

/** Adds the logo to the files. Its name contains a hash of its content, as those of the build do. */
function addLogo(files: Portal['files'], { type, bytes, extension }: Logo): string {
  const name = `assets/logo-${hash('sha256', bytes, 'hex').slice(0, 12)}${extension}`;
  files.set(name, { type, forms: new Map([['identity', bytes]]) });
  return `/portal/${name}`;
}

const iconLink = ({ type }: Logo, url: string, scheme: Scheme): string =>
  `<link rel="icon" type="${type}" href="${url}" media="(prefers-color-scheme: ${scheme})" />`;

const notBuiltPage =
  '<!doctype html><html lang="en"><title>%NAME%</title><h1>The portal is not built</h1><p>Run <code>npm ci</code> with its development dependencies, or <code>npm run build</code>, and start the service again. The API works without it.</p></html>';

/**
 * Loads the build in `folder`. `words` are the names of the brand's fields. The index page contains them and the look
 * of the brand, so that no other name or colour is ever shown.
 */
export async function loadPortal(folder: string, words: object, brand: PortalBrand): Promise<Portal> {
  const files = await readFiles(folder);
  const page = files.get('index.html')?.forms.get('identity')?.toString('utf8');
  files.delete('index.html');
  const { logo, ...look } = brand;
  const urls = logo && { light: addLogo(files, logo.light), dark: addLogo(files, logo.dark) };
  const content = escaped(JSON.stringify({ ...words, portal: { ...look, logo: urls } }));
  const icons = logo && urls && iconLink(logo.light, urls.light, 'light') + iconLink(logo.dark, urls.dark, 'dark');
  const name = escaped(brand.name);
  return {
    page: (page ?? notBuiltPage)
      .replace(/<link rel="icon"[^>]*>/, (link) => icons ?? link)
      .replaceAll('%NAME%', () => name)
      .replaceAll('%WORDS%', () => content),
    isBuilt: page !== undefined,
    files,
  };
}

/** Allows resources of this origin only, and inline styles that carry the nonce of the page. */
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

/** An SVG image that is opened as a page runs nothing and loads nothing. */
const imagePolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

const isAsset = (name: string): boolean => name.startsWith('assets/');

const isAccepted = ({ headers }: HttpRequest, encoding: string): boolean =>
  new RegExp(`\\b${encoding}\\b(?!\\s*;\\s*q=0(\\.0*)?\\s*(,|$))`, 'i').test(String(headers['accept-encoding'] ?? ''));

function fileResponse(name: string, file: File, request: HttpRequest): HttpResponse {
  const encoding = ['br', 'gzip'].find((name) => file.forms.has(name) && isAccepted(request, name)) ?? 'identity';
  return {
    status: 200,
    body: file.forms.get(encoding),
    headers: {
      'content-type': file.type,
      // The names of assets contain a hash of their content.
      'cache-control': isAsset(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
      vary: 'Accept-Encoding',
      ...(file.type === types['.svg'] ? { 'content-security-policy': imagePolicy } : {}),
      ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
    },
  };
}

function pageResponse({ page, isBuilt }: Portal): HttpResponse {
  const nonce = randomBytes(16).toString('base64url');
  const headers = { 'content-type': 'text/html; charset=utf-8', ...pageHeaders(nonce) };
  return { status: isBuilt ? 200 : 503, body: page.replaceAll('%NONCE%', nonce), headers };
}

export const portalTemplate = '/portal/*';

/** `name` is the path below /portal/. */
export function portalResponse(portal: Portal, name: string, request: HttpRequest): HttpResponse {
  const file = portal.files.get(name);
  if (file) return fileResponse(name, file, request);
  // An asset of another build: the index page in its place would be read as a script.
  if (isAsset(name)) throw problem('UnknownPath');
  return pageResponse(portal);
}

/** Whether a browser requests the root, which redirects to the portal. */
export const wantsPortal = ({ method, url, headers }: HttpRequest): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  url.split('?')[0] === '/' &&
  /\btext\/html\b/i.test(String(headers.accept ?? ''));
