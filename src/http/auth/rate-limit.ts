// Token buckets, as one number per key: the time at which its bucket will be full again (GCRA). No timers, exact headers.
// Measured beside rate-limiter-flexible's bursty limiter: see docs/decisions.md.
import { retryLater } from '../../errors/problems.ts';

export interface RateDecision {
  allowed: boolean;
  remaining: number;
  /** Seconds until one more is allowed (when refused), or until the bucket is full. */
  retryAfterSeconds: number;
  resetSeconds: number;
}

export interface RateLimit {
  take(key: string): RateDecision;
  policy: string;
  headers(verdict: RateDecision): Record<string, string>;
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
    headers: (verdict) => ({
      'ratelimit-policy': policy,
      ratelimit: `"${name}";r=${verdict.remaining};t=${verdict.resetSeconds}`,
    }),
  };
}

export function throwRateLimited(limit: RateLimit, verdict: RateDecision): never {
  const refusal = retryLater('TooManyRequests', verdict.retryAfterSeconds);
  Object.assign(refusal.headers, limit.headers(verdict));
  throw refusal;
}

/** Addresses are counted one by one, IPv6 ones by the /64 that a single host can wander through. */
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
