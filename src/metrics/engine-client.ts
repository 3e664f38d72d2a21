// HTTP client of an external engine: deadline, limits on concurrency and size, circuit breaker.
import { createSemaphore } from '../concurrency/semaphore.ts';
import { Problem, problem } from '../errors/problems.ts';

const timeoutMs = 5000;
/** Circuit breaker: after so many failures in a row, requests fail at once for `openMs`. */
const failuresToOpen = 3;
const openMs = 2000;
const concurrentRequests = 16;
const queuedRequests = 200;
const maxResponseBytes = 64 * 1024 * 1024;

/** fetch() refuses a URL with credentials, and quotes it. They are sent as HTTP basic authentication instead. */
function splitCredentials(address: URL): { url: URL; authorization: Record<string, string> } {
  const { username, password } = address;
  const url = new URL(address);
  url.username = '';
  url.password = '';
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const value = `Basic ${Buffer.from(credentials).toString('base64')}`;
  return { url, authorization: username ? { authorization: value } : {} };
}

/** The error message in the body of a response: InfluxDB answers with {"error": "…"}. */
function messageIn(text: string): string {
  try {
    return String((JSON.parse(text) as { error?: unknown }).error);
  } catch {
    return text;
  }
}

export class EngineClient {
  readonly title: string;
  private readonly remedyFor: (said: string) => string | undefined;
  private readonly base: URL;
  private readonly authorization: Record<string, string>;
  private readonly withPermit = createSemaphore(concurrentRequests, queuedRequests);
  private failures = 0;
  private openUntilMs = 0;

  /** `remedyFor` returns what the operator has to do about an error message of the engine, if that is known. */
  constructor(title: string, address: URL, remedyFor: (said: string) => string | undefined = () => undefined) {
    this.title = title;
    this.remedyFor = remedyFor;
    const { url, authorization } = splitCredentials(address);
    this.authorization = authorization;
    this.base = url;
  }

  urlOf(path: string): URL {
    const url = new URL(this.base);
    url.pathname = `${url.pathname.replace(/\/$/, '')}${path}`;
    return url;
  }

  /** One deadline serves all requests of a query. */
  deadline(): AbortSignal {
    return AbortSignal.timeout(timeoutMs);
  }

  /** Returns the parsed JSON response. */
  query(path: string, parameters: Record<string, string>, deadline: AbortSignal): Promise<unknown> {
    const body = new URLSearchParams(parameters);
    return this.guarded(async () => {
      const text = await this.fetchText(this.urlOf(path), { method: 'POST', signal: deadline, body }, 200);
      try {
        return JSON.parse(text) as unknown;
      } catch (error) {
        throw this.unavailable('answered with something that is no JSON', error);
      }
    });
  }

  /** Resolves when the engine has acknowledged the lines. Credentials in the address replace those for queries. */
  write(address: URL, lines: string): Promise<void> {
    const signal = this.deadline();
    const { url, authorization } = splitCredentials(address);
    const headers = { 'content-type': 'text/plain; charset=utf-8', ...authorization };
    return this.guarded(async () => {
      await this.fetchText(url, { method: 'POST', signal, body: lines, headers }, 204);
    });
  }

  /** The response does not have the shape that the engine's API defines. */
  unexpectedResponse(cause?: unknown): Problem {
    const reason = 'answered with something that cannot be understood';
    return problem('EngineUnavailable', {
      sentence: `The metric engine (${this.title}) ${reason}. Is its address right?`,
      headers: { 'retry-after': '2' },
      cause,
    });
  }

  /** The problem for an error message whose remedy is known. */
  knownProblem(said: string): Problem | undefined {
    const remedy = this.remedyFor(said);
    if (!remedy) return undefined;
    return problem('EngineRefused', { sentence: `The metric engine (${this.title}) answered: ${said}. ${remedy}` });
  }

  private guarded<T>(work: () => Promise<T>): Promise<T> {
    return this.withPermit(async () => {
      if (performance.now() < this.openUntilMs)
        throw this.unavailable('has failed several times in a row and is left alone for a moment');
      try {
        const result = await work();
        this.failures = 0;
        return result;
      } catch (error) {
        const failure = error instanceof Problem ? error : this.problemOf(error);
        // A rejected query says nothing about the health of the engine.
        if (failure.code !== 'EngineRefused' && ++this.failures >= failuresToOpen)
          this.openUntilMs = performance.now() + openMs;
        throw failure;
      }
    });
  }

  private async fetchText(url: URL, options: RequestInit, expectedStatus: number): Promise<string> {
    const headers = { ...this.authorization, ...options.headers };
    const response = await fetch(url, { ...options, redirect: 'error', headers });
    const text = await this.textOf(response);
    if (response.status === expectedStatus) return text;
    const known = this.knownProblem(messageIn(text));
    if (known) throw known;
    const cause = new Error(text.slice(0, 500));
    if (response.status === 400 || response.status === 422)
      throw problem('EngineRefused', {
        sentence: `The metric engine (${this.title}) did not accept the query. Does the mapping file fit it?`,
        cause,
      });
    throw this.unavailable(`answered ${response.status}`, cause);
  }

  private async textOf(response: Response): Promise<string> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > maxResponseBytes) throw this.unavailable('answered more than can be taken');
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  }

  private problemOf(error: unknown): Problem {
    if ((error as Error).name === 'TimeoutError') {
      const reason = `did not answer within ${timeoutMs / 1000} seconds`;
      return problem('EngineTimeout', {
        sentence: `The metric engine (${this.title}) ${reason}. Ask for a shorter range, or repeat in a moment.`,
        headers: { 'retry-after': '2' },
      });
    }
    const { cause } = error as { cause?: { code?: string } };
    return this.unavailable(`cannot be reached${cause?.code ? ` (${cause.code})` : ''}`, error);
  }

  private unavailable(reason: string, cause?: unknown): Problem {
    const advice = 'Other operations work; repeat in a moment, or have the operator look at it.';
    return problem('EngineUnavailable', {
      sentence: `The metric engine (${this.title}) ${reason}. ${advice}`,
      headers: { 'retry-after': '2' },
      cause,
    });
  }
}
