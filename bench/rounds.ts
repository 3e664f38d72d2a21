// Runs contenders alternately, so that disturbances affect all of them, and takes the median of the rounds.
import { type LoadOptions, load, type Measurements, type Target } from './load.ts';
import { familySeconds, ownSeconds, residentMegabytes } from './processes.ts';

export interface Contender extends LoadOptions {
  name: string;
  target: Target;
  /** Its process, and helper processes (the database). */
  pid: number;
  helpers: number[];
  /** A second server, which gets every other connection. */
  also?: Target;
}

export interface Result extends Measurements {
  name: string;
  /** CPU microseconds per request: of the server, and of its helpers. */
  cpu: number;
  helpersCpu: number;
  megabytes: number;
}

export const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

async function measure({ target, also, pid, helpers, name, ...options }: Contender): Promise<Result> {
  const before = [ownSeconds(pid), familySeconds(helpers)];
  const measured = await load(also ? [target, also] : [target], options);
  const spent = [ownSeconds(pid), familySeconds(helpers)].map((after, index) => after - (before[index] ?? 0));
  const [cpu = 0, helpersCpu = 0] = spent.map((seconds) => (seconds / measured.requests) * 1e6);
  return { name, ...measured, cpu, helpersCpu, megabytes: residentMegabytes(pid) };
}

export async function runAlternately(contenders: Contender[], rounds: number): Promise<Map<string, Result>> {
  const rows = new Map<string, Result[]>(contenders.map(({ name }) => [name, []]));
  // A warm-up round, for the JIT compiler.
  for (const contender of contenders) await measure({ ...contender, seconds: Math.max(1, contender.seconds / 2) });
  for (let round = 0; round < rounds; round++)
    for (const contender of contenders) rows.get(contender.name)?.push(await measure(contender));
  return new Map(
    [...rows].map(([name, results]) => {
      const middle = (of: (result: Result) => number): number => median(results.map(of));
      return [
        name,
        {
          name,
          requests: results.reduce((sum, { requests }) => sum + requests, 0),
          perSecond: middle((result) => result.perSecond),
          p50: middle((result) => result.p50),
          p99: middle((result) => result.p99),
          cpu: middle((result) => result.cpu),
          helpersCpu: middle((result) => result.helpersCpu),
          megabytes: middle((result) => result.megabytes),
        },
      ];
    }),
  );
}
