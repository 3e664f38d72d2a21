// How much is measured, as the environment says.

/** Ends with a sentence where a figure would come of a size that is none. */
function size(name: string, standard: number, least: number): number {
  const text = process.env[name];
  const value = text === undefined ? standard : Number(text);
  if (value >= least && Number.isFinite(value)) return value;
  console.error(`${name} must be a number from ${least} on, and is ${text}.`);
  process.exit(2);
}

/** Of a round. */
export const seconds = size('BENCH_SECONDS', 3, 0.1);
export const rounds = size('BENCH_ROUNDS', 5, 1);
/** Of `requests` and `world`; those who make connectors come from 32 of them, beside the others. */
export const organisationsAsked = size('BENCH_ORGANISATIONS', 1000, 240);
/** At the end of `growth`. */
export const connectorsAsked = size('BENCH_CONNECTORS', 1_000_000, 1000);
/** Of `metrics`. */
export const days = size('BENCH_DAYS', 30, 1);
