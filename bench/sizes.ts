// Sizes of benchmarks, from the environment.

/** Exits with a message when the value is invalid. */
function size(name: string, standard: number, minimum: number): number {
  const text = process.env[name];
  const value = text === undefined ? standard : Number(text);
  if (value >= minimum && Number.isFinite(value)) return value;
  console.error(`${name} must be a number of at least ${minimum}, and is ${text}.`);
  process.exit(2);
}

/** Per round. */
export const seconds = size('BENCH_SECONDS', 3, 0.1);
export const rounds = size('BENCH_ROUNDS', 5, 1);
/** In `requests` and `seed-database`; 32 of them create connectors. */
export const organisationCount = size('BENCH_ORGANISATIONS', 1000, 240);
/** In the large database of `growth`. */
export const connectorCount = size('BENCH_CONNECTORS', 1_000_000, 1000);
/** In `metrics`. */
export const days = size('BENCH_DAYS', 30, 1);
