// Simulated telemetry: traffic with daily and weekly patterns plus seeded noise. Pure: a record and a time always give
// the same values.
import { statusCritical, statusOk } from '../../metrics/quantities.ts';
import type { ConnectorSpec, LinkSpec } from '../desired-state.ts';
import { digest } from '../deterministic-hash.ts';
import type { TelemetryReading } from '../driver.ts';

const dayMs = 24 * 3_600_000;
const hourMs = 3_600_000;

/** The seeded characteristics of a record's traffic. */
export interface TrafficProfile {
  /** Seed of the record's noise. */
  number: number;
  /** Share of the bandwidth in use at peak time. */
  peak: number;
  /** Received traffic in relation to sent traffic. */
  balance: number;
  /** Time shift of its daily pattern. */
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

/** Noise in [0, 1) for each time step. */
function noise(number: number, step: number): number {
  let word = (number ^ Math.imul(step | 0, 0x9e3779b1)) >>> 0;
  word = Math.imul(word ^ (word >>> 16), 0x85ebca6b) >>> 0;
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35) >>> 0;
  return ((word ^ (word >>> 16)) >>> 0) / 2 ** 32;
}

/** Noise that changes smoothly from step to step. */
function smoothNoise(number: number, atMs: number, stepMs: number): number {
  const step = Math.floor(atMs / stepMs);
  const part = atMs / stepMs - step;
  const [from, to] = [noise(number, step), noise(number, step + 1)];
  return from + (to - from) * part * part * (3 - 2 * part);
}

/** Relative load: low at night and on weekends, highest in working hours. */
function loadOf({ number, shiftMs }: TrafficProfile, atMs: number): number {
  const local = atMs + shiftMs;
  const hour = (local % dayMs) / hourMs;
  // 1970-01-01 was a Thursday.
  const weekday = (Math.floor(local / dayMs) + 4) % 7;
  const isWeekend = weekday === 0 || weekday === 6;
  const day = Math.exp(-(((hour - 14.5) / 4.2) ** 2)) + 0.35 * Math.exp(-(((hour - 20.5) / 2) ** 2));
  const rhythm = 0.12 + 0.88 * Math.min(1, day) * (isWeekend ? 0.45 : 1);
  return (
    rhythm *
    (0.82 + 0.36 * smoothNoise(number, atMs, 30 * 60_000)) *
    (0.96 + 0.08 * noise(number, Math.floor(atMs / 60_000)))
  );
}

export function trafficAt(
  profile: TrafficProfile,
  bandwidthBps: number,
  atMs: number,
): { send: number; received: number } {
  const send = Math.min(0.97, profile.peak * loadOf(profile, atMs)) * bandwidthBps;
  const sway = 0.9 + 0.2 * smoothNoise(profile.number ^ 0x5bd1e995, atMs, 2 * hourMs);
  return {
    send: Math.round(send),
    received: Math.round(Math.min(0.97 * bandwidthBps, send * profile.balance * sway)),
  };
}

export interface LinkQuality {
  latency: number;
  jitter: number;
  packetLoss: number;
}

/** Round-trip quality of a link. */
export function linkQuality(
  profile: TrafficProfile,
  link: { delayMs: number; lossPercent?: number },
  atMs: number,
): LinkQuality {
  const load = loadOf(profile, atMs);
  const minute = Math.floor(atMs / 60_000);
  const jitter = 0.05 + 0.25 * load + 0.3 * noise(profile.number ^ 0x2545f491, minute) ** 3;
  const latency = 2 * link.delayMs + 0.3 + 0.9 * load + 0.3 * smoothNoise(profile.number, atMs, 10 * 60_000);
  const lossOneWay = (link.lossPercent ?? 0) / 100;
  const strayLoss = noise(profile.number ^ 0x1b873593, minute) > 0.996 ? 1 : 0;
  const packetLoss = Math.min(100, 100 * (1 - (1 - lossOneWay) ** 2) + strayLoss);
  return { latency: rounded(latency), jitter: rounded(jitter), packetLoss: rounded(packetLoss) };
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000;

export function connectorReadings(
  seed: string,
  { connectorId, bandwidthBps }: ConnectorSpec,
  isUp: boolean,
  atMs: number,
): TelemetryReading[] {
  const { send, received } = trafficAt(trafficProfile(seed, connectorId), bandwidthBps, atMs);
  const subject = { kind: 'connector' as const, recordId: connectorId };
  return [
    { ...subject, field: 'bits_send', value: isUp ? send : 0 },
    { ...subject, field: 'bits_received', value: isUp ? received : 0 },
    { ...subject, field: 'bgp_status', value: isUp ? statusOk : statusCritical },
    { ...subject, field: 'host_status', value: statusOk },
  ];
}

export function linkReadings(seed: string, link: LinkSpec, hasCrossed: boolean, atMs: number): TelemetryReading[] {
  const subject = { kind: 'link' as const, recordId: link.linkId };
  if (!hasCrossed) return [{ ...subject, field: 'packet_loss', value: 100 }];
  const { latency, jitter, packetLoss } = linkQuality(trafficProfile(seed, link.linkId), link, atMs);
  const loss: TelemetryReading = { ...subject, field: 'packet_loss', value: packetLoss };
  if (packetLoss >= 100) return [loss];
  return [{ ...subject, field: 'latency', value: latency }, { ...subject, field: 'jitter', value: jitter }, loss];
}
