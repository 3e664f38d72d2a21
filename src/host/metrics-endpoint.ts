// Prometheus metrics of the process, served on a loopback port.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client';
import { EventLoopHolds } from './event-loop-holds.ts';
import { type ListenAddress, listen } from './listen.ts';
import { RequestDurations } from './request-durations.ts';

export interface MetricsEndpoint {
  port: number | undefined;
  observeRequest: (route: string, method: string, status: number, seconds: number) => void;
  /** `read` runs at each scrape. */
  addGauge(name: string, help: string, read: () => number): void;
  /** `read` runs at each scrape and returns the total since the start. */
  addCounter(name: string, help: string, read: () => number): void;
  close(): Promise<void>;
}

export const metricsAddress = (port: number): ListenAddress => ({
  host: '127.0.0.1',
  port,
  setting: 'PATCHBAY_MONITOR_PORT',
});

export async function startMetricsEndpoint(port: number | undefined): Promise<MetricsEndpoint> {
  const noop = () => undefined;
  if (port === undefined)
    return { port, observeRequest: noop, addGauge: noop, addCounter: noop, close: async () => undefined };
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const holds = new EventLoopHolds();
  const server = createServer(async (request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end();
    const text = await registry.metrics();
    holds.restart();
    response.writeHead(200, { 'content-type': registry.contentType }).end(text);
  });
  await listen(server, metricsAddress(port));
  const durations = new RequestDurations();
  registry.registerMetric(durations as unknown as Metric);
  const addGauge: MetricsEndpoint['addGauge'] = (name, help, read) =>
    void new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  addGauge(
    'patchbay_event_loop_longest_hold_seconds',
    'Longest CPU time for which all requests waited for one computation, since the last scrape',
    () => holds.longestMs / 1000,
  );
  return {
    port: (server.address() as AddressInfo).port,
    observeRequest: (...request) => durations.observe(...request),
    addGauge,
    addCounter: (name, help, read) =>
      void new Counter({
        name,
        help,
        registers: [registry],
        collect() {
          this.reset();
          this.inc(read());
        },
      }),
    close: async () => {
      holds.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
