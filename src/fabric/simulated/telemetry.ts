// What a simulated network would measure: the rhythm of days and weeks, and chance that can be had again. Pure: the same record at the same time
// always says the same. It looks like traffic, and is always called simulated.
import { digest } from '../seeded-random.ts';

const dayMs = 24 * 3_600_000;
const hourMs = 3_600_000;

/** What a record is like, drawn once. */
export interface TrafficProfile {
  number: number;
  /** Part of its bandwidth that is used at the busiest time. */
  peak: number;
  /** What goes out for what comes in. */
  balance: number;
  /** When its day begins. */
  shiftMs: number;
}

export function trafficProfile(seed: string, recordId: string): TrafficProfile {
  const bytes = digest(seed, recordId, 'telemetry');
  const part = (at: number): number => bytes.readUInt32BE(at) / 2 ** 32;
  return {
    number: bytes.readUInt32BE(16),
    peak: 0.18 + 0.55 * part(0),
    balance: 0.25 + 0.7 * part(4),
    shiftMs: Math.floor((part(8) - 0.5) * 3 * hourMs),
  };
}

/** From 0 to just below 1, for each step of time. */
function chance(number: number, step: number): number {
  let word = (number ^ Math.imul(step | 0, 0x9e3779b1)) >>> 0;
  word = Math.imul(word ^ (word >>> 16), 0x85ebca6b) >>> 0;
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35) >>> 0;
  return ((word ^ (word >>> 16)) >>> 0) / 2 ** 32;
}

/** Chance that changes slowly: half an hour is like the next. */
function drift(number: number, atMs: number, stepMs: number): number {
  const step = Math.floor(atMs / stepMs);
  const part = atMs / stepMs - step;
  const [from, to] = [chance(number, step), chance(number, step + 1)];
  return from + (to - from) * part * part * (3 - 2 * part);
}

/** How busy it is, from a quiet night to the busiest hour of a working day. */
function loadOf({ number, shiftMs }: TrafficProfile, atMs: number): number {
  const local = atMs + shiftMs;
  const hour = (local % dayMs) / hourMs;
  // The epoch was a Thursday.
  const weekday = (Math.floor(local / dayMs) + 4) % 7;
  const isWeekend = weekday === 0 || weekday === 6;
  const day = Math.exp(-(((hour - 14.5) / 4.2) ** 2)) + 0.35 * Math.exp(-(((hour - 20.5) / 2) ** 2));
  const rhythm = 0.12 + 0.88 * Math.min(1, day) * (isWeekend ? 0.45 : 1);
  return (
    rhythm *
    (0.82 + 0.36 * drift(number, atMs, 30 * 60_000)) *
    (0.96 + 0.08 * chance(number, Math.floor(atMs / 60_000)))
  );
}

export function bitsOf(
  character: TrafficProfile,
  bandwidthBps: number,
  atMs: number,
): { send: number; received: number } {
  const busiest = Math.min(0.97, character.peak * loadOf(character, atMs)) * bandwidthBps;
  const sway = 0.9 + 0.2 * drift(character.number ^ 0x5bd1e995, atMs, 2 * hourMs);
  return {
    send: Math.round(busiest),
    received: Math.round(Math.min(0.97 * bandwidthBps, busiest * character.balance * sway)),
  };
}

export interface LinkQuality {
  latency: number;
  jitter: number;
  packetLoss: number;
}

/** There and back over a cord of this length. */
export function linkQuality(
  character: TrafficProfile,
  cord: { delayMs: number; lossPercent?: number },
  atMs: number,
): LinkQuality {
  const load = loadOf(character, atMs);
  const minute = Math.floor(atMs / 60_000);
  const jitter = 0.05 + 0.25 * load + 0.3 * chance(character.number ^ 0x2545f491, minute) ** 3;
  const latency = 2 * cord.delayMs + 0.3 + 0.9 * load + 0.3 * drift(character.number, atMs, 10 * 60_000);
  const lossOneWay = (cord.lossPercent ?? 0) / 100;
  const stray = chance(character.number ^ 0x1b873593, minute) > 0.996 ? 1 : 0;
  const packetLoss = Math.min(100, 100 * (1 - (1 - lossOneWay) ** 2) + stray);
  return { latency: rounded(latency), jitter: rounded(jitter), packetLoss: rounded(packetLoss) };
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000;
