// The table of all problems that the API reports. http/pipeline/error-response.ts renders them, and the API reference
// lists them. `sentence` tells the caller what is wrong and what to do about it.

export const problemTable = {
  InvalidInput: { status: 400, sentence: 'Some of what was sent is not valid. See details for each field.' },
  InvalidJson: { status: 400, sentence: 'The body is not valid JSON. Send one JSON value in UTF-8.' },
  BodyTooDeep: { status: 400, sentence: 'The JSON body is nested more than 32 levels deep. Send a flatter one.' },
  BadRequest: { status: 400, sentence: 'The request is malformed and could not be read.' },
  HttpsRequired: {
    status: 400,
    sentence: 'This service speaks HTTPS only. Repeat the request with an https:// address.',
  },
  InvalidGrant: { status: 400, sentence: 'The e-mail address, password or refresh token was not accepted.' },
  UnsupportedGrant: {
    status: 400,
    sentence: 'This grant_type is not supported. Use password, refresh_token or client_credentials (with scope reset).',
  },
  InvalidScopeHeader: {
    status: 400,
    sentence: 'The scope header must be sent once and hold the id (UUID) of an organisation.',
  },
  EmailTaken: { status: 400, sentence: 'A user with this e-mail address already exists. Choose another address.' },
  PasswordTooWeak: {
    status: 400,
    sentence:
      'The password is too weak. Use 12 to 128 characters that are hard to guess, for example four random words.',
  },
  CurrentPasswordWrong: {
    status: 400,
    sentence:
      'The current password is not right, or the account is locked after too many attempts. ' +
      'Repeat with the right one later, or request a reset mail.',
  },
  InvalidRole: { status: 400, sentence: 'This role does not exist. GET /acl/roles lists the roles that can be given.' },
  UnknownMetric: { status: 400, sentence: 'The resource has no such metric. See details for those it has.' },
  PartialWrite: {
    status: 400,
    sentence:
      'Some lines could not be taken; the others are kept. See details for each line and what is wrong with it.',
  },
  UnsupportedQuery: {
    status: 400,
    sentence:
      'Only CREATE DATABASE is understood here, for agents that begin with it. ' +
      'Metrics are asked for at /metrics/query.',
  },
  ReadOnlyField: { status: 400, sentence: 'The request would change a field that cannot be changed. See details.' },
  Unauthenticated: {
    status: 401,
    sentence: 'A bearer token is needed: send "Authorization: Bearer <token>" with a token from POST /auth/token.',
  },
  InvalidToken: { status: 401, sentence: 'The token is unknown, expired or revoked. Sign in again for a new one.' },
  InvalidClient: {
    status: 401,
    sentence: 'The API client credentials (HTTP Basic) are missing or wrong. The operator of the service issues them.',
  },
  NotEnoughSpareProducts: {
    status: 402,
    sentence:
      'No connector of this family is left in the pool of this region. Delete a connector, reduce the products of ' +
      'children, or ask your provider for more.',
  },
  NotEnoughCapacity: {
    status: 402,
    sentence:
      'The remaining subscribed capacity is not sufficient. GET /capacities/available lists what is available; ' +
      'capacities of children count as used.',
  },
  Forbidden: {
    status: 403,
    sentence: 'Your role does not allow this operation. An admin of your organisation can help.',
  },
  ForbiddenScope: {
    status: 403,
    sentence: 'You cannot act for this organisation. Only your own organisation and its direct children can be named.',
  },
  CrossSite: {
    status: 403,
    sentence:
      'Only pages of this service may ask for this, in a browser that says so (Sec-Fetch-Site). ' +
      'Other programs sign in with POST /auth/token.',
  },
  ResetTokenOnly: {
    status: 403,
    sentence: 'A reset token can only set a new password: PUT /me/info with {"password": "…"}.',
  },
  NotWithPersonalToken: {
    status: 403,
    sentence: 'A personal token cannot manage credentials. Sign in, and repeat with the access token.',
  },
  MoreThanHeld: {
    status: 403,
    sentence: 'This would reach further than your own role does. Nobody grants or manages more than they hold.',
  },
  NotParent: {
    status: 403,
    sentence:
      'Only the parent organisation decides what an organisation has subscribed to, ' +
      'and does so in its own name (without a scope).',
  },
  NotReseller: { status: 403, sentence: 'Only a reseller can create organisations.' },
  NotFound: { status: 404, sentence: 'There is no such resource.' },
  UnknownPath: { status: 404, sentence: 'There is nothing at this path. GET /openapi.json lists every operation.' },
  MethodNotAllowed: {
    status: 405,
    sentence: 'This path does not take this method. The Allow header lists those it takes.',
  },
  ShippedRole: {
    status: 405,
    sentence: 'The shipped roles cannot be changed or deleted. Create a role of your own instead.',
  },
  ConnectorLinked: {
    status: 405,
    sentence: 'The connector is linked and cannot be deleted. Delete its links first.',
  },
  GroupInUse: {
    status: 405,
    sentence: 'The group still holds connectors and cannot be deleted. Delete its connectors first.',
  },
  ApplianceInUse: {
    status: 405,
    sentence: 'The appliance still has virtual interfaces and cannot be deleted. Delete their connectors first.',
  },
  RequestTimeout: { status: 408, sentence: 'The request did not arrive completely in time.' },
  RoleTaken: { status: 409, sentence: 'A role with this name already exists. Choose another name.' },
  RoleInUse: {
    status: 409,
    sentence: 'Users still have this role, or it was deleted a moment ago. Give its users another role first.',
  },
  TooManyRoles: {
    status: 409,
    sentence:
      'The organisation has 1,000 roles or 20,000 policies, which is the limit. Delete roles that are no longer used.',
  },
  LastAdmin: {
    status: 409,
    sentence: 'This is the last enabled admin of the organisation. Make another user an admin first.',
  },
  TooManyTokens: {
    status: 409,
    sentence: 'You have 50 personal tokens, which is the limit. Delete those that are no longer used.',
  },
  NameTaken: { status: 409, sentence: 'The name is taken. Choose another one.' },
  VlanTaken: { status: 409, sentence: 'The VLAN is taken on this appliance. Choose another one.' },
  Overlaps: {
    status: 409,
    sentence: 'The subnet overlaps with that of another connector on the same router. Choose another one.',
  },
  AlreadyAllocated: {
    status: 409,
    sentence: 'The group already has an allocation of this capacity. Change that one instead.',
  },
  AlreadyLinked: { status: 409, sentence: 'These two connectors are linked already.' },
  BelowUsed: {
    status: 409,
    sentence:
      'More of this product is in use, by connectors or by children. ' +
      'Delete connectors or reduce the products of children first.',
  },
  BelowAllocated: {
    status: 409,
    sentence:
      'More of this capacity is allocated to groups than that, or handed out to children. ' +
      'Take allocations back, or reduce what the children have, first.',
  },
  NoLookingGlass: {
    status: 409,
    sentence:
      'The fabric of this service has no routers to look at. ' +
      'The looking glass works where it runs on the lab fabric (PATCHBAY_FABRIC=lab).',
  },
  NotInFabric: {
    status: 409,
    sentence:
      'The connector is not in the fabric. Deploy it first; ' +
      'GET /flow/connector/{connid}/deployment says how far it is.',
  },
  EngineReadsOnly: {
    status: 409,
    sentence:
      'The metric engine of this service takes no points from here: let agents write to it directly. ' +
      '(Operators: PATCHBAY_METRICS_WRITE_URL.)',
  },
  StillRunning: {
    status: 409,
    sentence: 'A request with this Idempotency-Key is still running. Wait for its answer, then repeat.',
  },
  SecretShownOnce: {
    status: 409,
    sentence:
      'This request was already carried out and its secret was shown once. Delete the token and create a new one.',
  },
  Conflict: {
    status: 409,
    sentence: 'The request conflicts with another one that was carried out first. Read, then repeat.',
  },
  Stale: {
    status: 412,
    sentence: 'The record has changed since you read it (If-Match). Read it again, then repeat your change.',
  },
  TooLarge: { status: 413, sentence: 'The body is larger than this operation takes.' },
  UnsupportedMediaType: { status: 415, sentence: 'Send the body as application/json, uncompressed.' },
  ExpectationFailed: { status: 417, sentence: 'Only "Expect: 100-continue" is understood.' },
  KeyReused: {
    status: 422,
    sentence: 'This Idempotency-Key was used with another body. Use a new key for a new request.',
  },
  TooManyRequests: { status: 429, sentence: 'Too many requests. Wait as many seconds as Retry-After says.' },
  HeadersTooLarge: { status: 431, sentence: 'The request line and headers together are larger than 16 KiB.' },
  Internal: {
    status: 500,
    sentence: 'Something went wrong on our side. The log of the service holds the cause under this request id.',
  },
  EngineUnavailable: {
    status: 502,
    sentence: 'The metric engine cannot be asked right now. Other operations work; repeat in a moment.',
  },
  EngineRefused: {
    status: 502,
    sentence: 'The metric engine did not accept the question. Does the mapping file fit it?',
  },
  Busy: { status: 503, sentence: 'The service has too much to do right now. Repeat in a moment.' },
  DatabaseUnavailable: { status: 503, sentence: 'The database cannot be reached right now. Repeat in a moment.' },
  Stopping: { status: 503, sentence: 'This service is about to stop. Ask another one, or this one in a moment.' },
  FabricUnavailable: {
    status: 503,
    sentence: 'The router does not answer right now. It is looked after by itself; repeat in a few seconds.',
  },
  MetricsDown: { status: 503, sentence: 'The metric engine does not work right now.' },
  EngineTimeout: { status: 504, sentence: 'The metric engine did not answer in time. Repeat in a moment.' },
  DatabaseTimeout: { status: 504, sentence: 'The database took too long to answer. Repeat in a moment.' },
} as const satisfies Record<string, { status: number; sentence: string }>;

export type ProblemCode = keyof typeof problemTable;

/** What is wrong with one part of the request. */
export interface Detail {
  path: string;
  message: string;
}

interface ProblemOptions {
  sentence?: string;
  details?: Detail[];
  headers?: Record<string, string>;
  /** Additional fields of the response. */
  extra?: Record<string, unknown>;
  cause?: unknown;
}

export class Problem extends Error {
  readonly code: ProblemCode;
  readonly status: number;
  readonly details: Detail[] | undefined;
  readonly headers: Record<string, string>;
  readonly extra: Record<string, unknown>;

  constructor(code: ProblemCode, options: ProblemOptions = {}) {
    super(options.sentence ?? problemTable[code].sentence, { cause: options.cause });
    this.code = code;
    this.status = problemTable[code].status;
    this.details = options.details;
    this.headers = options.headers ?? {};
    this.extra = options.extra ?? {};
  }
}

export const problem = (code: ProblemCode, options?: ProblemOptions): Problem => new Problem(code, options);

/** Reports one invalid part of the request. */
export const invalid = (path: string, message: string, code: ProblemCode = 'InvalidInput'): Problem =>
  new Problem(code, { details: [{ path, message }] });

export const retryLater = (
  code: 'Busy' | 'DatabaseUnavailable' | 'DatabaseTimeout' | 'FabricUnavailable' | 'Stopping' | 'TooManyRequests',
  seconds: number,
  cause?: unknown,
) => new Problem(code, { cause, headers: { 'retry-after': String(Math.max(1, Math.ceil(seconds))) } });

/** After a failover a replica may reach the former primary, which is read-only. */
export const readOnlyDatabase = (): Problem =>
  new Problem('DatabaseUnavailable', {
    sentence: 'The database is read-only right now: a standby, or set to read-only. Repeat in a moment.',
    headers: { 'retry-after': '1' },
  });

/** The body refers to a record that does not exist. */
export const missingReference = (path: string, what: string): Problem =>
  new Problem('NotFound', {
    sentence: `There is no such ${what}.`,
    details: [{ path, message: `names no ${what} that you have or can choose` }],
  });
