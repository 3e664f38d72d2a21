// The short way to a kept answer: when caller, permission and answer are all remembered, it is given at once, past the framework, which would cost more than
// everything else together (docs/benchmarks.md). Nothing is decided differently here: whoever would be refused, or is not remembered, goes the long way.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { type AuthorizationRules, parseScopeHeader, parseToken, rateLimitKey, scopeFor } from '../auth/authorize.ts';
import { createAccessLog } from '../log/access-log.ts';
import type { RedactPath } from '../log/redact-path.ts';
import { orNotModified } from './response.ts';
import type { CachedResponse, ResponseCache } from './response-cache.ts';

export interface FastPathOptions {
  rules: AuthorizationRules;
  kept: ResponseCache;
  logger: Logger;
  tellPath: RedactPath;
  onAnswered: (route: string, method: string, status: number, seconds: number) => void;
}

/** Answers whether it has answered. */
export type FastPath = (
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  address: string,
) => boolean;

export function createFastPath({ rules, kept, logger, tellPath, onAnswered }: FastPathOptions): FastPath {
  const { authenticator: gate, tokenLimit } = rules;
  const log = createAccessLog(logger);
  const told = new WeakMap<CachedResponse, string>();
  return (request, response, requestId, address) => {
    const { headers, url = '' } = request;
    if (request.method !== 'GET' || 'content-length' in headers || 'transfer-encoding' in headers) return false;
    const token = parseToken(headers.authorization ?? '', false);
    if (token === undefined) return false;
    const beganMs = performance.now();
    const named = parseScopeHeader(rules, headers);
    const badge = gate.digest(request.socket, token);
    const identity = badge && gate.identifyFromCache(badge, named.id);
    const scope = identity && scopeFor(named, identity);
    const found = scope && kept.find(scope, url);
    if (!found || identity.caller.token.kind === 'reset' || !gate.isKnownAllowed(identity.caller.role, found.route))
      return false;
    const verdict = tokenLimit?.take(rateLimitKey(identity.caller));
    if (verdict?.allowed === false) return false;
    const { status, body } = orNotModified(headers, found);
    const sent = [...found.lines, 'gateway-request-id', requestId];
    if (tokenLimit && verdict)
      for (const [name, value] of Object.entries(tokenLimit.headers(verdict))) sent.push(name, value);
    if (body) sent.push('content-length', String(body.length));
    response.writeHead(status, sent).end(body);
    const ms = performance.now() - beganMs;
    onAnswered(found.route.path, 'GET', status, ms / 1000);
    const path = told.get(found) ?? JSON.stringify(tellPath(url));
    told.set(found, path);
    log({ requestId, method: 'GET', path, status, ms: Math.round(ms * 10) / 10, address });
    return true;
  };
}
