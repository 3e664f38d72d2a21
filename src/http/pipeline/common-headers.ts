// Headers that every response carries, including errors, preflights and responses to malformed requests.
import { randomUUID } from 'node:crypto';

export const apiVersion = '1.0';

const exposedHeaders = [
  'Link',
  'Content-Range',
  'ETag',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'api-version',
  'Gateway-Request-ID',
];

/** All but `gateway-request-id`, which differs for each request. */
export const commonHeaders: Record<string, string> = {
  'api-version': apiVersion,
  'access-control-allow-origin': '*',
  'access-control-expose-headers': exposedHeaders.join(', '),
  'x-content-type-options': 'nosniff',
};

/** Tells browsers to use HTTPS alone. With the local CA, it would leave them no way past a certificate they distrust. */
export const strictTransport: Record<string, string> = { 'strict-transport-security': 'max-age=31536000' };

export const allowedMethods = 'GET, HEAD, POST, PUT, DELETE, OPTIONS';

const allowedHeaders = ['Gateway-Request-ID', 'Idempotency-Key', 'If-Match', 'If-None-Match'];

export const preflightHeaders = (scopeHeaders: string[]): Record<string, string> => ({
  'access-control-allow-methods': allowedMethods,
  'access-control-allow-headers': ['Authorization', 'Content-Type', ...scopeHeaders, ...allowedHeaders].join(', '),
  'access-control-max-age': '86400',
});

/** The client's own request id if it is well formed, else a new one. */
export const chooseRequestId = (given: string | string[] | undefined): string =>
  typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
