// Spans of requests, transactions, jobs and changes of the fabric. They begin in every layer, so the tracer is a variable of
// this module. Without a tracer, a span costs a comparison. bootstrap/start-tracing.ts sets one where the environment asks
// for it.
import { AsyncLocalStorage } from 'node:async_hooks';
import { Problem } from '../errors/problems.ts';

export type SpanAttributes = Record<string, string | number>;

export interface SpanDescription {
  name: string;
  kind?: 'server' | 'client' | 'producer' | 'consumer';
  /** Names follow the semantic conventions. Values are ids and known words: no query, no body, no address of a person. */
  attributes?: SpanAttributes;
  /** The W3C trace context that came with a request or a job. Such a span continues that trace or begins one. */
  remote?: { traceparent: string | undefined; tracestate?: string | undefined };
  /** Without a span around it there is no span: the transactions of background polling would be traces of their own. */
  isDetail?: true;
}

export interface Span {
  /** The W3C trace context of this span. */
  readonly traceparent: string;
  setAttributes(attributes: SpanAttributes): void;
  /** Marks the span as failed. The type is a code or a class: messages may contain what callers sent. */
  fail(errorType: string): void;
  end(): void;
}

export interface Tracer {
  begin(description: SpanDescription, parent: Span | undefined): Span;
}

let tracer: Tracer | undefined;
const currentSpan = new AsyncLocalStorage<Span>();

export function setTracer(next: Tracer): void {
  tracer = next;
}

function errorTypeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && /^\w{1,40}$/.test(code)) return code;
  return error instanceof Error ? error.constructor.name : 'Error';
}

/** A refused request is the caller's mistake, not a failure of the service. */
function endFailed(span: Span, error: unknown): void {
  if (!(error instanceof Problem) || error.status >= 500) span.fail(errorTypeOf(error));
  span.end();
}

function run<T>(active: Tracer, description: SpanDescription, work: () => T): T {
  const parent = description.remote ? undefined : currentSpan.getStore();
  if (description.isDetail && !parent) return work();
  const span = active.begin(description, parent);
  let result: T;
  try {
    result = currentSpan.run(span, work);
  } catch (error) {
    endFailed(span, error);
    throw error;
  }
  if (!(result instanceof Promise)) {
    span.end();
    return result;
  }
  return result.then(
    (value) => {
      span.end();
      return value;
    },
    (error) => {
      endFailed(span, error);
      throw error;
    },
  ) as T;
}

/** Runs work in a span, which ends with the work and is the parent of the spans within. */
export const inSpan = <T>(describe: () => SpanDescription, work: () => T): T =>
  tracer ? run(tracer, describe(), work) : work();

/** Adds attributes to the span around the caller. An error type marks it as failed. */
export function annotateSpan(attributes: SpanAttributes, errorType?: string): void {
  const span = tracer && currentSpan.getStore();
  if (!span) return;
  span.setAttributes(attributes);
  if (errorType !== undefined) span.fail(errorType);
}

/** The W3C trace context of the span around the caller, for work that another process continues. */
export const currentTraceparent = (): string | undefined => tracer && currentSpan.getStore()?.traceparent;
