// Prometheus metrics of the process, served on a loopback port.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client';
import { EventLoopHolds } from './event-loop-holds.ts';
import { type ListenAddress, listen } from './listen.ts';
import { RequestDurations } from './request-durations.ts';

export interface Sample {
  labels: Record<string, string>;
  value: number;
}

export interface MetricsEndpoint {
  port: number | undefined;
  observeRequest: (route: string, method: string, status: number, seconds: number) => void;
  /** `read` runs at each scrape. */
  addGauge(name: string, help: string, read: () => number): void;
  /** `read` runs at each scrape and must not reject. A gauge without samples is absent. */
  addGauges(name: string, help: string, labels: string[], read: () => Sample[] | Promise<Sample[]>): void;
  /** `read` runs at each scrape and returns the total since the start. */
  addCounter(name: string, help: string, read: () => number): void;
  /** Returns the function that counts an event. All values of the label are exported from the start, as 0. */
  createCounter<Value extends string>(
    name: string,
    help: string,
    label: string,
    values: readonly Value[],
  ): (value: Value) => void;
  close(): Promise<void>;
}

export const metricsAddress = (port: number): ListenAddress => ({
  host: '127.0.0.1',
  port,
  setting: 'PATCHBAY_MONITOR_PORT',
});

const noop = () => undefined;
const disabledEndpoint: MetricsEndpoint = {
  port: undefined,
  observeRequest: noop,
  addGauge: noop,
  addGauges: noop,
  addCounter: noop,
  createCounter: () => noop,
  close: async () => undefined,
};

function registryFunctions(registry: Registry): Omit<MetricsEndpoint, 'port' | 'observeRequest' | 'close'> {
  const registers = [registry];
  return {
    addGauge: (name, help, read) =>
      void new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read());
        },
      }),
    addGauges: (name, help, labelNames, read) =>
      void new Gauge({
        name,
        help,
        labelNames,
        registers,
        async collect() {
          const samples = await read();
          // No await below: another scrape sees all samples or none.
          this.reset();
          if (labelNames.length === 0) this.remove();
          for (const { labels, value } of samples) this.set(labels, value);
        },
      }),
    addCounter: (name, help, read) =>
      void new Counter({
        name,
        help,
        registers,
        collect() {
          this.reset();
          this.inc(read());
        },
      }),
    createCounter(name, help, label, values) {
      const counter = new Counter({ name, help, labelNames: [label], registers });
      for (const value of values) counter.inc({ [label]: value }, 0);
      return (value) => counter.inc({ [label]: value });
    },
  };
}

/** The least time between two renderings, which take some milliseconds of the event loop each. */
const renderPauseMs = 50;

/** Concurrent scrapes share one rendering. */
function createRenderer(registry: Registry, onRendered: () => void): () => Promise<string> {
  let pending: Promise<string> | undefined;
  let renderedMs = Number.NEGATIVE_INFINITY;
  const render = async (): Promise<string> => {
    await pause(Math.max(0, renderedMs + renderPauseMs - performance.now()));
    try {
      return await registry.metrics();
    } finally {
      onRendered();
      renderedMs = performance.now();
      pending = undefined;
    }
  };
  return () => {
    pending ??= render();
    return pending;
  };
}

/** Any account of the machine can connect. These limits keep it from occupying the process. */
const limits = {
  headersTimeout: 5000,
  requestTimeout: 5000,
  keepAliveTimeout: 5000,
  connectionsCheckingInterval: 1000,
};
const maxConnections = 50;
/** Another name is that of a page in a browser on this machine, whose DNS entry was changed to loopback. */
const ownHost = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

export async function startMetricsEndpoint(port: number | undefined): Promise<MetricsEndpoint> {
  if (port === undefined) return disabledEndpoint;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const holds = new EventLoopHolds();
  const render = createRenderer(registry, () => holds.restart());
  const server = createServer(limits, async (request, response) => {
    if (!ownHost.test(request.headers.host ?? '')) return void response.writeHead(403).end();
    if (request.url !== '/metrics') return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': registry.contentType }).end(await render());
  });
  server.maxConnections = maxConnections;
  await listen(server, metricsAddress(port));
  const durations = new RequestDurations();
  registry.registerMetric(durations as unknown as Metric);
  const functions = registryFunctions(registry);
  functions.addGauge(
    'patchbay_event_loop_longest_hold_seconds',
    'Longest CPU time for which all requests waited for one computation, since the last scrape',
    () => holds.longestMs / 1000,
  );
  return {
    ...functions,
    port: (server.address() as AddressInfo).port,
    observeRequest: (...request) => durations.observe(...request),
    close: async () => {
      holds.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
