// The short way to a kept answer: when caller, permission and answer are all remembered, it is given at once, past the framework, which would cost more than
// everything else together (docs/benchmarks.md). Nothing is decided differently here: whoever would be refused, or is not remembered, goes the long way.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { type AdmissionRules, namedScope, scopeFor, tokenIn, whoseRate } from '../auth/authorize.ts';
import { createAnswerLog } from '../log/access-log.ts';
import type { TellPath } from '../log/redact-path.ts';
import { unlessKnown } from './response.ts';
import type { KeptAnswer, KeptAnswers } from './response-cache.ts';

export interface QuickOptions {
  rules: AdmissionRules;
  kept: KeptAnswers;
  logger: Logger;
  tellPath: TellPath;
  onAnswered: (route: string, method: string, status: number, seconds: number) => void;
}

/** Answers whether it has answered. */
export type Quick = (request: IncomingMessage, response: ServerResponse, requestId: string, address: string) => boolean;

export function createQuick({ rules, kept, logger, tellPath, onAnswered }: QuickOptions): Quick {
  const { gate, tokenLimit } = rules;
  const log = createAnswerLog(logger);
  const told = new WeakMap<KeptAnswer, string>();
  return (request, response, requestId, address) => {
    const { headers, url = '' } = request;
    if (request.method !== 'GET' || 'content-length' in headers || 'transfer-encoding' in headers) return false;
    const token = tokenIn(headers.authorization ?? '', false);
    if (token === undefined) return false;
    const beganMs = performance.now();
    const named = namedScope(rules, headers);
    const badge = gate.badgeOf(request.socket, token);
    const identity = badge && gate.recall(badge, named.id);
    const scope = identity && scopeFor(named, identity);
    const found = scope && kept.find(scope, url);
    if (!found || identity.caller.token.kind === 'reset' || !gate.recallsAllowed(identity.caller.role, found.route))
      return false;
    const verdict = tokenLimit?.take(whoseRate(identity.caller));
    if (verdict?.allowed === false) return false;
    const { status, body } = unlessKnown(headers, found);
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
