// Executes a write in one transaction: re-checks the caller, compares If-Match, runs the handler, and stores the response under
// the Idempotency-Key.
import { measureWork } from '../../concurrency/work-account.ts';
import { Problem, problem } from '../../errors/problems.ts';
import type { Database } from '../../store/database.ts';
import type { HttpRequest } from '../request/http-request.ts';
import { pageOf, pathOf } from '../request/paging.ts';
import { checkBody, queryOf } from '../request/validation.ts';
import type { Context, Route } from '../route.ts';
import { matchesIfMatch } from './etag.ts';
import {
  executeOnce,
  type IdempotencyRecord,
  idempotencyRecordOf,
  replaceStoredResponse,
  type StoredResponse,
  storableProblem,
  storedProblem,
} from './idempotency.ts';
import { buildResponse, etagOf, type HttpResponse, jsonType } from './response.ts';
import type { PipelineServices } from './services.ts';

type WriteContext = Omit<Context, 'database' | 'prepared' | 'locked' | 'query' | 'page' | 'body'>;
type WriteResponse = HttpResponse<string | undefined>;

async function checkIfMatch(services: PipelineServices, route: Route, header: string, context: Context): Promise<void> {
  const read = services.reads.get(route.path);
  // A path without a read route has no ETag; the handler finds out whether the record exists.
  if (!read && header.trim() === '*') return;
  if (!read) throw problem('Stale');
  const whole = { ...context, query: {}, page: pageOf(read, {}) };
  const value = await read.handle(whole);
  const current = etagOf(read, await buildResponse(services.fieldNames, read, whole, value), value);
  if (!matchesIfMatch(header, current)) throw problem('Stale');
}

function idempotencyOf(
  { keys }: PipelineServices,
  route: Route,
  { headers, body }: HttpRequest,
  { actor, scope, params }: WriteContext,
): IdempotencyRecord | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined || route.method !== 'POST' || route.isRepeatable) return undefined;
  const path = pathOf(route.path, params as Record<string, unknown>);
  return idempotencyRecordOf(keys, key, actor.userId, scope, route.method, path, body);
}

/** The validated input of a write and the result of its slow preparation, or the error to store under the Idempotency-Key. */
interface PreparedInput {
  input?: Omit<Context, 'database' | 'prepared' | 'locked'>;
  prepared?: unknown;
  error?: unknown;
}

/** Validates the input and does slow work (such as hashing a password) before a connection is taken. */
async function prepareInput(
  { fieldNames }: PipelineServices,
  route: Route,
  request: HttpRequest,
  base: WriteContext,
  isErrorStored: boolean,
): Promise<PreparedInput> {
  let input: PreparedInput['input'];
  try {
    input = measureWork(() => {
      const query = queryOf(fieldNames, route, request.query);
      const body = route.takesLines ? request.body : checkBody(route.body, fieldNames.fromWire(request.body));
      return { ...base, query, page: pageOf(route, query), body };
    });
  } catch (error) {
    if (isErrorStored) return { error };
    throw error;
  }
  return { input, prepared: await route.prepare(input.body, input) };
}

/** One execution of the handler within a transaction. */
interface Execution {
  context: Context;
  value: unknown;
}

class Write {
  readonly #services: PipelineServices;
  readonly #route: Route;
  readonly #request: HttpRequest;
  readonly #input: PreparedInput;
  readonly #ifMatch: string | undefined;
  /** Set when the handler ran for this request, rather than a stored response being replayed. */
  execution: Execution | undefined;

  constructor(services: PipelineServices, route: Route, request: HttpRequest, input: PreparedInput) {
    this.#services = services;
    this.#route = route;
    this.#request = request;
    this.#input = input;
    this.#ifMatch = route.method === 'POST' ? undefined : request.headers['if-match'];
  }

  /**
   * A record that changes between the comparison and the write must fail the transaction, which then runs again, unless
   * the route locks the record before.
   */
  get isolation(): 'repeatable read' | undefined {
    if (this.#route.lock) return undefined;
    return this.#ifMatch === undefined || this.#ifMatch.trim() === '*' ? undefined : 'repeatable read';
  }

  async run(database: Database, isStored: boolean): Promise<WriteResponse> {
    const { input, prepared, error } = this.#input;
    if (!input) throw error;
    const context: Context = { ...input, prepared, locked: undefined, database };
    if (this.#route.lock) {
      context.locked = await this.#route.lock(context);
      await this.#services.authenticator.recheckCaller(database, context.caller);
    }
    if (this.#ifMatch !== undefined) await checkIfMatch(this.#services, this.#route, this.#ifMatch, context);
    const value = await this.#route.handle(context);
    this.execution = { context, value };
    // The response of `afterCommit` replaces this one, which matters only if it is stored meanwhile.
    if (this.#route.afterCommit && !isStored) return { status: this.#route.status, body: undefined, headers: {} };
    return buildResponse(this.#services.fieldNames, this.#route, context, value);
  }

  /** Runs once for the key; a repetition gets the stored response. */
  async runOnce(database: Database, record: IdempotencyRecord, scope: WriteContext['scope']): Promise<WriteResponse> {
    let fresh: WriteResponse | undefined;
    const stored = await executeOnce(database, scope, record, async (): Promise<StoredResponse> => {
      fresh = await this.run(database, true);
      const body = this.#route.secretAnswer ? null : (fresh.body ?? '');
      return { status: fresh.status, body, ...(this.#route.afterCommit ? { isUnfinished: true } : {}) };
    });
    return fresh ?? this.#replay(stored);
  }

  #replay({ status, body }: StoredResponse): WriteResponse {
    const headers = { 'content-type': this.#route.answer.contentType ?? jsonType };
    if (status < 400) return { status, body: body || undefined, headers };
    const { fieldNames } = this.#services;
    const { error, details, ...rest } = JSON.parse(body ?? '{}');
    const shown = {
      error: fieldNames.textToWire(error),
      ...rest,
      requestId: this.#request.id,
      ...(details ? { details: fieldNames.detailsToWire(details) } : {}),
    };
    return { status, body: JSON.stringify(shown), headers: { 'content-type': jsonType } };
  }
}

/** Runs `afterCommit` of the route, whose result is the response, and stores that under the key. */
async function finish(
  services: PipelineServices,
  route: Route,
  { context, value }: Execution,
  record: IdempotencyRecord | undefined,
): Promise<WriteResponse> {
  const respond = async (): Promise<WriteResponse> =>
    buildResponse(services.fieldNames, route, context, await route.afterCommit?.(value, context));
  if (!record) return respond();
  const outcome = await respond().catch((error: unknown) => storableProblem(error));
  const stored = outcome instanceof Problem ? storedProblem(outcome) : { ...outcome, body: outcome.body ?? '' };
  await services.store.write(context.scope, (database) =>
    replaceStoredResponse(database, context.scope, record, stored),
  );
  if (outcome instanceof Problem) throw outcome;
  return outcome;
}

/** The result of work that began while the caller was re-checked. The refusal of the caller takes precedence over any other error. */
async function unlessRefused<T>(recheck: Promise<void>, work: Promise<T>): Promise<T> {
  const [refused, done] = await Promise.allSettled([recheck, work]);
  if (refused.status === 'rejected') throw refused.reason;
  if (done.status === 'rejected') throw done.reason;
  return done.value;
}

export async function executeWrite(
  services: PipelineServices,
  route: Route,
  request: HttpRequest,
  base: WriteContext,
): Promise<WriteResponse> {
  const record = idempotencyOf(services, route, request, base);
  const write = new Write(
    services,
    route,
    request,
    await prepareInput(services, route, request, base, Boolean(record)),
  );
  const response = await services.store.write(
    base.scope,
    async (database) => {
      // A retried transaction starts afresh.
      write.execution = undefined;
      const recheck = services.authenticator.recheckCaller(database, base.caller);
      if (!record) return unlessRefused(recheck, write.run(database, false));
      await recheck;
      return write.runOnce(database, record, base.scope);
    },
    write.isolation,
  );
  return route.afterCommit && write.execution ? finish(services, route, write.execution, record) : response;
}
