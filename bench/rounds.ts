// Contenders in turns, round after round, so that what disturbs the machine disturbs them all; of each figure the median of the rounds.
import { type Figures, type LoadOptions, load, type Target } from './load.ts';
import { familySeconds, ownSeconds, residentMegabytes } from './processes.ts';

export interface Contender extends LoadOptions {
  name: string;
  target: Target;
  /** Its process, and those that work for it (the database). */
  pid: number;
  helpers: number[];
  /** A second server: every other connection goes there. */
  also?: Target;
}

export interface Result extends Figures {
  name: string;
  /** Processor time for a request, in microseconds: of the server, and of those that work for it. */
  cpu: number;
  helpersCpu: number;
  megabytes: number;
}

export const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

async function once({ target, also, pid, helpers, name, ...options }: Contender): Promise<Result> {
  const before = [ownSeconds(pid), familySeconds(helpers)];
  const figures = await load(also ? [target, also] : [target], options);
  const spent = [ownSeconds(pid), familySeconds(helpers)].map((after, index) => after - (before[index] ?? 0));
  const [cpu = 0, helpersCpu = 0] = spent.map((seconds) => (seconds / figures.requests) * 1e6);
  return { name, ...figures, cpu, helpersCpu, megabytes: residentMegabytes(pid) };
}

export async function inTurns(contenders: Contender[], rounds: number): Promise<Map<string, Result>> {
  const seen = new Map<string, Result[]>(contenders.map(({ name }) => [name, []]));
  // The first time compiles what the others use.
  for (const contender of contenders) await once({ ...contender, seconds: Math.max(1, contender.seconds / 2) });
  for (let round = 0; round < rounds; round++)
    for (const contender of contenders) seen.get(contender.name)?.push(await once(contender));
  return new Map(
    [...seen].map(([name, results]) => {
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
