// Token buckets by the generic cell rate algorithm: one number per key, the time at which its bucket is full again. It needs no
// timers and gives exact headers. docs/decisions.md compares it with rate-limiter-flexible.
import { retryLater } from '../../errors/problems.ts';

export interface RateDecision {
  allowed: boolean;
  remaining: number;
  /** Seconds until the next request is allowed. */
  retryAfterSeconds: number;
  resetSeconds: number;
}

export interface RateLimit {
  take(key: string): RateDecision;
  /** Counts further requests, for one that turned out to be expensive. The bucket may then be empty for a while. */
  charge(key: string, requests: number): void;
  policy: string;
  headers(decision: RateDecision): Record<string, string>;
}

export function createRateLimit(
  name: string,
  perSecond: number,
  burst: number,
  now: () => number = () => performance.now() / 1000,
): RateLimit {
  const interval = 1 / perSecond;
  const span = burst * interval;
  let fullAgainAt = new Map<string, number>();
  let sweptAt = now();
  const sweep = (time: number): void => {
    sweptAt = time;
    fullAgainAt = new Map([...fullAgainAt].filter(([, full]) => full > time));
  };
  const policy = `"${name}";q=${burst};w=${Math.ceil(span)}`;
  return {
    policy,
    take(key) {
      const time = now();
      if (time - sweptAt > Math.max(60, span)) sweep(time);
      const full = Math.max(time, fullAgainAt.get(key) ?? time);
      const allowed = full + interval - time <= span + 1e-9;
      const next = allowed ? full + interval : full;
      if (allowed) fullAgainAt.set(key, next);
      return {
        allowed,
        remaining: Math.max(0, Math.floor((span - (next - time)) / interval + 1e-9)),
        retryAfterSeconds: Math.max(0, next + interval - span - time),
        resetSeconds: Math.ceil(next - time),
      };
    },
    charge(key, requests) {
      const time = now();
      fullAgainAt.set(key, Math.max(time, fullAgainAt.get(key) ?? time) + requests * interval);
    },
    headers: (decision) => ({
      'ratelimit-policy': policy,
      ratelimit: `"${name}";r=${decision.remaining};t=${decision.resetSeconds}`,
    }),
  };
}

/** An ordinary request takes less CPU time than this. Each further such amount counts as one more request. */
const msPerRequest = 5;

/** How many requests an expensive one counts for, in addition to itself. */
export const furtherRequests = (cpuMs: number): number => Math.floor(cpuMs / msPerRequest);

export function throwRateLimited(limit: RateLimit, decision: RateDecision): never {
  const refusal = retryLater('TooManyRequests', decision.retryAfterSeconds);
  Object.assign(refusal.headers, limit.headers(decision));
  throw refusal;
}

/** IPv4 addresses count individually, IPv6 addresses by /64, which is what one host may use. */
export function addressKey(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1]) return mapped[1];
  if (!address.includes(':')) return address;
  const [head = '', tail = ''] = address.split('::');
  const left = head ? head.split(':') : [];
  const right = tail ? tail.split(':') : [];
  const middle = address.includes('::') ? Array(Math.max(0, 8 - left.length - right.length)).fill('0') : [];
  return [...left, ...middle, ...right]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
