// Metrics of the process for Prometheus, on a port of its own that only this machine reaches.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { OperatorError } from '../errors/operator-error.ts';

export interface ProcessMetrics {
  port: number | undefined;
  onAnswered: (route: string, method: string, status: number, seconds: number) => void;
  /** A figure that is looked up when somebody asks for it. */
  show(name: string, help: string, read: () => number): void;
  close(): Promise<void>;
}

export async function startProcessMetrics(port: number | undefined): Promise<ProcessMetrics> {
  const registry = new Registry();
  const requests = new Histogram({
    name: 'patchbay_http_request_seconds',
    help: 'Time to answer a request, by route, method and status',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers: [registry],
  });
  // Looking a row of labels up costs more than counting.
  const rows = new Map<string, Histogram.Internal<string>>();
  const onAnswered: ProcessMetrics['onAnswered'] = (route, method, status, seconds) => {
    const key = `${route} ${method} ${status}`;
    const row = rows.get(key) ?? requests.labels(route, method, String(status));
    rows.set(key, row);
    row.observe(seconds);
  };
  const nothing = () => undefined;
  if (port === undefined) return { port, onAnswered: nothing, show: nothing, close: async () => undefined };
  collectDefaultMetrics({ register: registry });
  const server = createServer(async (request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': registry.contentType }).end(await registry.metrics());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        new OperatorError(
          `Cannot listen for metrics: ${error.message}. Choose another port with PATCHBAY_MONITOR_PORT.`,
        ),
      ),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    onAnswered,
    show: (name, help, read) =>
      void new Gauge({
        name,
        help,
        registers: [registry],
        collect() {
          this.set(read());
        },
      }),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
