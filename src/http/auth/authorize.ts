// Decides whether a request may proceed, before its body is read: authentication, rate limit, scope and permission.
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { whenReady } from '../../concurrency/when-ready.ts';
import { problem } from '../../errors/problems.ts';
import type { Database, Scope } from '../../store/database.ts';
import { isUuid } from '../../values/uuid.ts';
import type { HttpRequest } from '../request/http-request.ts';
import type { Access, Caller, Role, Route } from '../route.ts';
import { addressKey, type RateLimit, throwRateLimited } from './rate-limit.ts';

export interface Identity {
  caller: Caller;
  /** The scope of the child organisation that a reseller named, if it is one of its children. */
  child: Scope | undefined;
}

export interface TokenDigest {
  kind: Caller['token']['kind'];
  hash: Buffer;
  /** The hash as a map key. */
  key: string;
}

/** Identities and permissions, provided by the resources: http knows no resource itself. */
export interface Authenticator {
  /** The digest of a token, or undefined if it cannot be a token of this service. */
  digest(connection: Socket, token: string): TokenDigest | undefined;
  /** The identity behind a token, cached or read from the database. `childId` is the child organisation to act for. */
  identify(digest: TokenDigest, childId?: string): Promise<Identity | undefined> | Identity;
  identifyClient(authorization: string | undefined, form: unknown): Promise<string | undefined>;
  allows(role: Role, route: Route): Promise<boolean> | boolean;
  /** Within a writing transaction, after a body that may have been slow: throws if the caller was revoked or changed role. */
  recheckCaller(database: Database, caller: Caller): Promise<void>;
}

export interface AuthorizationRules {
  authenticator: Authenticator;
  /** Every spelling of the scope header, in lower case. */
  scopeHeaders: string[];
  userLimit: RateLimit | undefined;
  signInLimit: RateLimit | undefined;
}

export interface Authorization {
  caller: Caller;
  scope: Scope;
}

/** The outcome for a route: the caller and scope for a token, the API client for client credentials. */
export type Authorized =
  | { by: 'token'; authorization: Authorization }
  | { by: 'client' | 'portal' | 'anyone'; clientId: string | undefined };

function countRequest(limit: RateLimit | undefined, key: string, request: HttpRequest): void {
  if (!limit) return;
  const decision = limit.take(key);
  if (!decision.allowed) throwRateLimited(limit, decision);
  request.charge = (requests) => limit.charge(key, requests);
  for (const [name, value] of Object.entries(limit.headers(decision))) request.responseHeaders.push(name, value);
}

const bearerLength = 'Bearer '.length;

/** The token of a request. Metric agents may send it in other schemes than Bearer. */
export function parseToken(authorization: string, asAgent: boolean): string | undefined {
  // The usual form, without the cost of the expression.
  if (authorization.startsWith('Bearer ') && !authorization.includes(' ', bearerLength))
    return authorization.slice(bearerLength) || undefined;
  const [, scheme, text] = /^(Bearer|Token|Basic) +(\S+) *$/i.exec(authorization) ?? [];
  const word = scheme?.toLowerCase();
  if (word === 'bearer') return text;
  if (!asAgent || text === undefined) return undefined;
  return word === 'token' ? text : Buffer.from(text, 'base64').toString('utf8').split(':').slice(1).join(':');
}

/** Agents are set up in forms that know their own schemes only, so the problem names each of them. */
const unauthenticated = (asAgent: boolean) =>
  asAgent
    ? problem('Unauthenticated', {
        sentence:
          'A token is needed, best a personal access token. Send it in one of three ways: ' +
          '"Authorization: Bearer <token>", "Authorization: Token <token>", ' +
          'or as the password of HTTP Basic with any user name.',
        headers: { 'www-authenticate': 'Bearer, Basic realm="patchbay"' },
      })
    : problem('Unauthenticated', { headers: { 'www-authenticate': 'Bearer' } });

/** The identity behind the bearer token, counted against its rate limit. */
export function authenticate(
  { authenticator, userLimit }: AuthorizationRules,
  request: HttpRequest,
  asAgent = false,
  childId?: string,
): Identity | Promise<Identity> {
  const token = parseToken(request.headers.authorization ?? '', asAgent);
  if (!token) throw unauthenticated(asAgent);
  const digest = authenticator.digest(request.socket, token);
  return whenReady(digest && authenticator.identify(digest, childId), (identity) => {
    if (!identity) throw problem('InvalidToken', { headers: { 'www-authenticate': 'Bearer error="invalid_token"' } });
    request.userId = identity.caller.userId;
    request.organisationId = identity.caller.organisation.id;
    // All tokens of a user share one limit: more tokens must not mean more requests.
    countRequest(userLimit, identity.caller.userId, request);
    return identity;
  });
}

const ownScope = ({ organisation }: Caller): Scope => ({
  organisationId: organisation.id,
  organisationCode: organisation.code,
});

interface ScopeHeader {
  isGiven: boolean;
  /** Undefined where the header is malformed or sent twice. */
  id?: string;
}

function parseScopeHeader({ scopeHeaders }: AuthorizationRules, headers: IncomingHttpHeaders): ScopeHeader {
  let given: string | undefined;
  for (const name of scopeHeaders) {
    const header = headers[name];
    if (header === undefined) continue;
    if (given !== undefined || typeof header !== 'string' || !isUuid(header)) return { isGiven: true };
    given = header.toLowerCase();
  }
  return given === undefined ? { isGiven: false } : { isGiven: true, id: given };
}

function scopeFor({ isGiven, id }: ScopeHeader, { caller, child }: Identity): Scope {
  if (isGiven && id === undefined) throw problem('InvalidScopeHeader');
  const scope = !isGiven || id === caller.organisation.id ? ownScope(caller) : child;
  if (!scope) throw problem('ForbiddenScope');
  return scope;
}

function authorizeToken(
  rules: AuthorizationRules,
  route: Route,
  access: Extract<Access, { by: 'token' }>,
  request: HttpRequest,
): Authorized | Promise<Authorized> {
  const scopeHeader = parseScopeHeader(rules, request.headers);
  return whenReady(
    authenticate(rules, request, access.asAgent, scopeHeader.id),
    (identity): Authorized | Promise<Authorized> => {
      const { caller } = identity;
      if (caller.token.kind === 'reset' && !access.withResetToken) throw problem('ResetTokenOnly');
      // A caller's own records stay theirs whatever scope the request names.
      const named = scopeFor(scopeHeader, identity);
      const scope = access.permission.endsWith(':own') ? ownScope(caller) : named;
      if (scope.organisationId !== caller.organisation.id) request.scopeOrganisationId = scope.organisationId;
      return whenReady(rules.authenticator.allows(caller.role, route), (isAllowed): Authorized => {
        if (!isAllowed) throw problem('Forbidden');
        return { by: 'token', authorization: { caller, scope } };
      });
    },
  );
}

/** Authorizes a request for a route. Throws the problem to respond with, or rejects with it. */
export function authorize(
  rules: AuthorizationRules,
  route: Route,
  request: HttpRequest,
): Authorized | Promise<Authorized> {
  const { access } = route;
  return access.by === 'token' ? authorizeToken(rules, route, access, request) : authorizeOpen(rules, access, request);
}

async function authorizeOpen(
  rules: AuthorizationRules,
  access: Exclude<Access, { by: 'token' }>,
  request: HttpRequest,
): Promise<Authorized> {
  if (access.by === 'client') {
    countRequest(rules.signInLimit, addressKey(request.address), request);
    // Credentials in the header are checked before the body is read; credentials in a form can be checked only afterwards.
    const hasHeader = request.headers.authorization !== undefined;
    return { by: 'client', clientId: hasHeader ? await authenticateClient(rules, request) : undefined };
  }
  if (access.by === 'portal') {
    // Browsers set this header themselves, and no page can forge it.
    if (request.headers['sec-fetch-site'] !== 'same-origin') throw problem('CrossSite');
    // Renewing a session guesses no password, so it counts against the looser limit.
    const limit = access.isSignIn ? rules.signInLimit : rules.userLimit;
    countRequest(limit, addressKey(request.address), request);
  }
  return { by: access.by, clientId: undefined };
}

/** The API client of a request: HTTP Basic, or the fields of a form as OAuth libraries send them. */
export async function authenticateClient({ authenticator }: AuthorizationRules, request: HttpRequest): Promise<string> {
  const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded');
  const found = await authenticator.identifyClient(request.headers.authorization, isForm ? request.body : undefined);
  if (!found) throw problem('InvalidClient', { headers: { 'www-authenticate': 'Basic realm="patchbay"' } });
  return found;
}
