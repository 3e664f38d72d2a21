// A route is one value with its path, schemas, access and handler. The server, the permission checks, the OpenAPI document and
// the tests that walk every route are derived from it.
import { type Static, type TObject, type TSchema, Type } from 'typebox';
import type { ProblemCode } from '../errors/problems.ts';
import type { Database, Scope } from '../store/database.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** `<resource>:<action>:<target>`, matched against a policy's `res`. `own` means the caller's own records. */
export type Permission = `${string}:${'read' | 'write' | 'deploy'}:${'own' | 'organisation'}`;

export type Access =
  | { by: 'anyone' }
  /** HTTP Basic credentials of an API client. Requests count against the sign-in limit of the address. */
  | { by: 'client' }
  /** A same-origin request of the portal. Signing in counts against the sign-in limit. */
  | { by: 'portal'; isSignIn?: true }
  /** A bearer token whose role has the permission. Agents may also send it as `Token …` or as a Basic password. */
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

/** The user of an audit entry. */
export interface Actor {
  userId: string;
  userName: string;
  clientAddress: string;
  /** The actor's own organisation, which may act for a child. Commands of the operator belong to none. */
  organisationId?: string;
}

export interface Page {
  limit: number;
  offset: number;
}

export interface Listing {
  items: unknown[];
  total: number;
  /** The response body where the items are only a part of it. */
  whole?: unknown;
}

interface RequestInput<P, Q, B> {
  params: P;
  query: Q;
  body: B;
  clientAddress: string;
  userAgent: string;
}

/** The input of a route for token holders. `database` is one transaction, limited to the scope by row-level security. */
export interface Context<P = unknown, Q = unknown, B = unknown, R = unknown, L = unknown>
  extends RequestInput<P, Q, B> {
  database: Database;
  scope: Scope;
  caller: Caller;
  actor: Actor;
  page: Page;
  /** The result of the route's `prepare`. */
  prepared: R;
  /** The result of the route's `lock`. */
  locked: L;
}

/** The input of a route's `lock`. */
export type LockContext<P = unknown, B = unknown> = Pick<
  Context<P, unknown, B>,
  'database' | 'scope' | 'caller' | 'params' | 'body'
>;

/** The input of a cached route. It excludes the caller: one cached response serves all callers of a scope. */
export type CachedContext<P = unknown, Q = unknown> = Pick<
  Context<P, Q>,
  'database' | 'scope' | 'params' | 'query' | 'page'
>;

/** The input of a route without a token; `clientId` is the API client on routes that require one. */
export interface OpenContext<B = unknown> extends RequestInput<unknown, unknown, B> {
  clientId: string;
  cookies: string;
  /** Headers that the handler adds to the response. */
  answerHeaders: Record<string, string>;
}

/** What is known of a request before its transaction begins. */
export type PrepareContext<P = unknown, Q = unknown> = Pick<
  Context<P, Q>,
  'params' | 'query' | 'scope' | 'caller' | 'clientAddress'
>;

/** The part of the context that outlives the transaction. */
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
  /** Keys that change without an update of the record; If-Match ignores them. */
  volatile: string[];
  /** The response contains a secret that is shown once, so it is not stored under an Idempotency-Key. */
  secretAnswer: boolean;
  takesForm: boolean;
  /** The body is line protocol of any media type, possibly compressed. The handler gets the text. */
  takesLines: boolean;
  /** The operation is idempotent by itself, so an Idempotency-Key is ignored. */
  isRepeatable: boolean;
  /** The response depends on records of the scope alone and is cached until one of them changes. */
  isCached: boolean;
  /** Renders the value as CSV for clients that prefer text/csv. */
  csv: ((value: unknown) => string) | undefined;
  /** Slow work on the validated body, done before a database connection is taken. */
  prepare: (body: unknown, context: PrepareContext) => Promise<unknown>;
  /**
   * Locks the record and returns it. Then the caller is checked again, who must not undo a demotion with a request that
   * waited for it, and If-Match is compared. Such a request needs no repeatable read, whose snapshot would not show what
   * other requests inserted meanwhile.
   */
  lock: ((context: LockContext) => Promise<unknown>) | undefined;
  handle: (context: Context) => Promise<unknown>;
  /** Work after the commit, without a connection. Its result is the response. */
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
  handlers: Partial<Pick<Route, 'prepare' | 'lock' | 'handle' | 'afterCommit' | 'handleOpen' | 'csv' | 'isCached'>>,
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
    lock: handlers.lock,
    handle: handlers.handle ?? never,
    afterCommit: handlers.afterCommit,
    handleOpen: handlers.handleOpen ?? never,
  };
}

/** A route for holders of a token. */
export function route<P extends TObject, Q extends TObject, B extends TSchema, V, R = undefined, L = undefined>(
  spec: Spec<P, Q, B> & {
    permission: Permission;
    withResetToken?: true;
    asAgent?: true;
    prepare?: (body: Static<B>, context: PrepareContext<Static<P>, Static<Q>>) => Promise<R>;
    lock?: (context: LockContext<Static<P>, Static<B>>) => Promise<L>;
    csv?: (value: never) => string;
  },
  handle: (context: Context<Static<P>, Static<Q>, Static<B>, R, L>) => Promise<V>,
  afterCommit?: (value: V, context: AfterCommit<Static<Q>>) => Promise<unknown>,
): Route {
  const { permission, withResetToken, asAgent, prepare, lock, csv, ...rest } = spec;
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
    ...(lock ? { lock: lock as NonNullable<Route['lock']> } : {}),
    ...(csv ? { csv: csv as NonNullable<Route['csv']> } : {}),
  };
  return build(rest, access, handlers);
}

/** A read route whose responses are cached. */
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
