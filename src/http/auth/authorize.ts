// Who may come in, decided before a byte of the body is read: who calls, how often, for whom, and may they.
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { problem } from '../../errors/problems.ts';
import type { Database, Scope } from '../../store/database.ts';
import { isUuid } from '../../values/uuid.ts';
import type { Caller, Role, Route } from '../route.ts';
import { addressKey, type RateLimit, throwRateLimited } from './rate-limit.ts';

export interface Identity {
  caller: Caller;
  child: Scope | undefined;
}

export interface TokenDigest {
  kind: Caller['token']['kind'];
  hash: Buffer;
  /** The hash, as a key of maps. */
  key: string;
}

/** What the protocol layer must be told about identities; it knows no resource itself. */
export interface Authenticator {
  /** What a token is known by here, if it may be one of ours. */
  digest(connection: Socket, token: string): TokenDigest | undefined;
  /** Who calls; and, when a reseller does and this is one of its children, the scope of that. */
  identify(badge: TokenDigest, childId?: string): Promise<Identity | undefined>;
  /** The same, if it is remembered. */
  identifyFromCache(badge: TokenDigest, childId?: string): Identity | undefined;
  identifyClient(authorization: string | undefined, form: unknown): Promise<string | undefined>;
  allows(role: Role, route: Route): Promise<boolean>;
  /** The same, if it is remembered; else no. */
  isKnownAllowed(role: Role, route: Route): boolean;
  /** In a writing transaction, after a body that may have taken its time: refuses who was revoked or given another role. */
  recheckCaller(database: Database, caller: Caller): Promise<void>;
}

export interface AuthorizationRules {
  authenticator: Authenticator;
  /** Every spelling of the scope header, in lower case. */
  scopeHeaders: string[];
  tokenLimit: RateLimit | undefined;
  signInLimit: RateLimit | undefined;
}

export interface Authorization {
  caller: Caller;
  scope: Scope;
}

function count(limit: RateLimit | undefined, key: string, reply: FastifyReply): void {
  if (!limit) return;
  const verdict = limit.take(key);
  if (!verdict.allowed) throwRateLimited(limit, verdict);
  reply.headers(limit.headers(verdict));
}

/** A session is one caller, however many tokens it is given. */
export const rateLimitKey = ({ token }: Caller): string => token.familyId ?? token.id;

/** The token of a request; agents have other ways to send theirs. */
export function parseToken(authorization: string, asAgent: boolean): string | undefined {
  const [, scheme, text] = /^(Bearer|Token|Basic) +(\S+) *$/i.exec(authorization) ?? [];
  const word = scheme?.toLowerCase();
  if (word === 'bearer') return text;
  if (!asAgent || text === undefined) return undefined;
  return word === 'token' ? text : Buffer.from(text, 'base64').toString('utf8').split(':').slice(1).join(':');
}

/** The caller behind the bearer token, counted against its rate. */
export async function authenticate(
  rules: AuthorizationRules,
  request: FastifyRequest,
  reply: FastifyReply,
  asAgent = false,
  childId?: string,
): Promise<Identity> {
  const token = parseToken(request.headers.authorization ?? '', asAgent);
  if (!token) throw problem('Unauthenticated', { headers: { 'www-authenticate': 'Bearer' } });
  const badge = rules.authenticator.digest(request.raw.socket, token);
  const identity = badge && (await rules.authenticator.identify(badge, childId));
  if (!identity) throw problem('InvalidToken', { headers: { 'www-authenticate': 'Bearer error="invalid_token"' } });
  count(rules.tokenLimit, rateLimitKey(identity.caller), reply);
  return identity;
}

const ownScope = ({ organisation }: Caller): Scope => ({
  organisationId: organisation.id,
  organisationCode: organisation.code,
});

/** The organisation that a request names as its scope, if it names one in a form that can be looked up. */
export function parseScopeHeader(
  rules: AuthorizationRules,
  headers: FastifyRequest['headers'],
): { given: boolean; id?: string } {
  const [header, second] = rules.scopeHeaders.flatMap((name) => headers[name] ?? []);
  if (header === undefined) return { given: false };
  return second === undefined && isUuid(header) ? { given: true, id: header.toLowerCase() } : { given: true };
}

/** Whom the caller may act for of whom it named, or undefined. */
export function scopeFor(named: ReturnType<typeof parseScopeHeader>, { caller, child }: Identity): Scope | undefined {
  if (!named.given || named.id === caller.organisation.id) return ownScope(caller);
  return named.id === undefined ? undefined : child;
}

function scopeOf(named: ReturnType<typeof parseScopeHeader>, identity: Identity): Scope {
  if (named.given && named.id === undefined) throw problem('InvalidScopeHeader');
  const scope = scopeFor(named, identity);
  if (!scope) throw problem('ForbiddenScope');
  return scope;
}

/** Lets a request in, or refuses it by throwing a problem. What is the caller's own is theirs whatever scope they name. */
export async function authorize(
  rules: AuthorizationRules,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Authorization | undefined> {
  const { access } = route;
  if (access.by === 'client') {
    count(rules.signInLimit, addressKey(request.ip), reply);
    // Credentials in the header are looked at before the body is.
    if (request.headers.authorization !== undefined) request.clientId = await authenticateClient(rules, request);
  }
  if (access.by === 'portal') {
    // Browsers tell where a request comes from, and no page can make them say otherwise.
    if (request.headers['sec-fetch-site'] !== 'same-origin') throw problem('CrossSite');
    // Renewing is no guess, and yet nobody needs it more often than a token may be used.
    const limit = access.isSignIn ? rules.signInLimit : rules.tokenLimit;
    count(limit, addressKey(request.ip), reply);
  }
  if (access.by !== 'token') return undefined;
  const named = parseScopeHeader(rules, request.headers);
  const identity = await authenticate(rules, request, reply, access.asAgent, named.id);
  const { caller } = identity;
  if (caller.token.kind === 'reset' && !access.withResetToken) throw problem('ResetTokenOnly');
  const asked = scopeOf(named, identity);
  if (!(await rules.authenticator.allows(caller.role, route))) throw problem('Forbidden');
  return { caller, scope: access.permission.endsWith(':own') ? ownScope(caller) : asked };
}

/** The API client behind the request: HTTP Basic, or (form-encoded bodies only) as OAuth libraries put it into the form. */
export async function authenticateClient(rules: AuthorizationRules, request: FastifyRequest): Promise<string> {
  const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded');
  const found = await rules.authenticator.identifyClient(
    request.headers.authorization,
    isForm ? request.body : undefined,
  );
  if (!found) throw problem('InvalidClient', { headers: { 'www-authenticate': 'Basic realm="patchbay"' } });
  return found;
}
