// What a route is: one value that says path, schemas, who may call it and what it does. The server, the permission checks,
// the API document and the tests that walk every route are all made from these.
import { type Static, type TObject, type TSchema, Type } from 'typebox';
import type { ProblemCode } from '../errors/problems.ts';
import type { Database, Scope } from '../store/database.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** `<resource>:<action>:<target>`: what a policy's `res` is matched against. `own` is the caller's alone. */
export type Permission = `${string}:${'read' | 'write' | 'deploy'}:${'own' | 'organisation'}`;

export type Access =
  | { by: 'anyone' }
  /** HTTP Basic credentials of an API client; counted against the sign-in limit of the address. */
  | { by: 'client' }
  /** A page of this very service, as browsers tell; signing in is counted against the same limit. */
  | { by: 'portal'; isSignIn?: true }
  /** A bearer token; the permission is asked of the caller's role. Agents may send it as `Token …` or as a Basic password as well. */
  | { by: 'token'; permission: Permission; withResetToken?: true; asAgent?: true };

export interface Role {
  id: string;
  name: string;
  revision: number;
}

export interface Caller {
  userId: string;
  userName: string;
  organisation: { id: string; code: string; reseller: boolean };
  role: Role;
  token: { id: string; kind: 'access' | 'personal' | 'reset'; familyId: string | null };
}

/** Who did it, for the audit trail. */
export interface Actor {
  userId: string;
  userName: string;
  clientAddress: string;
}

export interface Page {
  limit: number;
  offset: number;
}

export interface Listing {
  items: unknown[];
  total: number;
  /** What is sent instead of the bare items, when they are only a part of it. */
  whole?: unknown;
}

interface RequestInput<P, Q, B> {
  params: P;
  query: Q;
  body: B;
  clientAddress: string;
  userAgent: string;
}

/** What a route for token holders works with. The database is one transaction, already held to the scope. */
export interface Context<P = unknown, Q = unknown, B = unknown, R = unknown> extends RequestInput<P, Q, B> {
  database: Database;
  scope: Scope;
  caller: Caller;
  actor: Actor;
  page: Page;
  /** What the route's `prepare` made of the body. */
  prepared: R;
}

/**
 * What a route works with whose answers are kept: the records of the scope and what was asked for, and nothing about who asks, since whoever asks for
 * the same is given the same.
 */
export type CachedContext<P = unknown, Q = unknown> = Pick<
  Context<P, Q>,
  'database' | 'scope' | 'params' | 'query' | 'page'
>;

/** What a route without a token works with; `clientId` is the API client where one is asked for. */
export interface OpenContext<B = unknown> extends RequestInput<unknown, unknown, B> {
  clientId: string;
  cookies: string;
  /** What the answer carries beside its body. */
  answerHeaders: Record<string, string>;
}

/** What is known of a request after its transaction. */
export type AfterCommit<Q = unknown> = Pick<Context<unknown, Q>, 'scope' | 'query'>;

interface Described {
  method: Method;
  path: string;
  tag: string;
  summary: string;
  description?: string;
  problems?: ProblemCode[];
  answer: { status?: number; schema?: TSchema; description: string; example?: unknown; contentType?: string };
  requestExample?: unknown;
}

export interface Route extends Described {
  access: Access;
  params: TObject;
  query: TObject;
  body: TSchema | undefined;
  status: number;
  paging: 'pages' | 'offsets' | undefined;
  /** Keys that change without the record being changed by anyone, left out when If-Match is compared. */
  volatile: string[];
  /** The answer holds a secret that is shown once: it is never kept for repetition. */
  secretAnswer: boolean;
  takesForm: boolean;
  /** The body is text in lines, of whatever media type, and may be compressed; it reaches the handler as it is. */
  takesLines: boolean;
  /** May be sent twice without harm: an Idempotency-Key is not looked at. */
  isRepeatable: boolean;
  /** Its answers follow from records alone, and are kept until one of them is changed. */
  isCached: boolean;
  /** The same as text/csv, for who asks for that. */
  csv: ((value: unknown) => string) | undefined;
  /** Slow work on a checked body, done before a database connection is taken. */
  prepare: (body: unknown, query: unknown) => Promise<unknown>;
  handle: (context: Context) => Promise<unknown>;
  /** What is done after the transaction, without holding a connection; its result is the answer. */
  afterCommit: ((value: unknown, context: AfterCommit) => Promise<unknown>) | undefined;
  handleOpen: (context: OpenContext) => Promise<unknown>;
}

interface Spec<P extends TObject, Q extends TObject, B extends TSchema> extends Described {
  params?: P;
  query?: Q;
  body?: B;
  paging?: 'pages' | 'offsets';
  volatile?: string[];
  secretAnswer?: true;
  takesLines?: true;
  takesForm?: boolean;
  isRepeatable?: true;
}

const never = () => Promise.reject(new Error('This route has no such handler'));
const nothing = Type.Object({});

const pageQuery = Type.Object({
  page: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1_000_000_000, description: 'Page, from 1; 0 is the first too.' }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50, description: 'Records on a page.' })),
});
const offsetQuery = Type.Object({
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000_000,
      default: 0,
      description: 'Records to pass over; a multiple of limit.',
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10, description: 'Records at the most.' })),
});

function build(
  spec: Spec<TObject, TObject, TSchema>,
  access: Access,
  handlers: Partial<Pick<Route, 'prepare' | 'handle' | 'afterCommit' | 'handleOpen' | 'csv' | 'isCached'>>,
): Route {
  const paging = spec.paging === 'pages' ? pageQuery : spec.paging === 'offsets' ? offsetQuery : nothing;
  return {
    ...spec,
    access,
    params: spec.params ?? nothing,
    query: Type.Object({ ...(spec.query ?? nothing).properties, ...paging.properties }),
    body: spec.body,
    status: spec.answer.status ?? 200,
    paging: spec.paging,
    volatile: spec.volatile ?? [],
    secretAnswer: spec.secretAnswer ?? false,
    takesForm: spec.takesForm ?? false,
    takesLines: spec.takesLines ?? false,
    isRepeatable: spec.isRepeatable ?? false,
    isCached: handlers.isCached ?? false,
    csv: handlers.csv,
    prepare: handlers.prepare ?? (async () => undefined),
    handle: handlers.handle ?? never,
    afterCommit: handlers.afterCommit,
    handleOpen: handlers.handleOpen ?? never,
  };
}

/** A route for holders of a token. */
export function route<P extends TObject, Q extends TObject, B extends TSchema, V, R = undefined>(
  spec: Spec<P, Q, B> & {
    permission: Permission;
    withResetToken?: true;
    asAgent?: true;
    prepare?: (body: Static<B>, query: Static<Q>) => Promise<R>;
    csv?: (value: never) => string;
  },
  handle: (context: Context<Static<P>, Static<Q>, Static<B>, R>) => Promise<V>,
  afterCommit?: (value: V, context: AfterCommit<Static<Q>>) => Promise<unknown>,
): Route {
  const { permission, withResetToken, asAgent, prepare, csv, ...rest } = spec;
  const access: Access = {
    by: 'token',
    permission,
    ...(withResetToken ? { withResetToken } : {}),
    ...(asAgent ? { asAgent } : {}),
  };
  const handlers = {
    handle: handle as unknown as Route['handle'],
    ...(afterCommit ? { afterCommit: afterCommit as Route['afterCommit'] } : {}),
    ...(prepare ? { prepare: prepare as Route['prepare'] } : {}),
    ...(csv ? { csv: csv as NonNullable<Route['csv']> } : {}),
  };
  return build(rest, access, handlers);
}

/** A route that reads records, and whose answers are kept. */
export function cachedRoute<P extends TObject, Q extends TObject>(
  spec: Spec<P, Q, TSchema> & { permission: `${string}:read:organisation` },
  handle: (context: CachedContext<Static<P>, Static<Q>>) => Promise<unknown>,
): Route {
  const { permission, ...rest } = spec;
  return build(rest, { by: 'token', permission }, { handle: handle as unknown as Route['handle'], isCached: true });
}

/** A route that needs no token. */
export function openRoute<B extends TSchema>(
  spec: Spec<TObject, TObject, B> & { by: 'anyone' | 'client' | 'portal'; isSignIn?: true },
  handle: (context: OpenContext<Static<B>>) => Promise<unknown>,
): Route {
  const { by, isSignIn, ...rest } = spec;
  const access: Access = by === 'portal' && isSignIn ? { by, isSignIn } : { by };
  return build(rest, access, { handleOpen: handle as Route['handleOpen'] });
}
