import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Histogram, type Metric, Registry } from 'prom-client';
import { RequestDurations } from './request-durations.ts';

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

const observation = fc.record({
  route: fc.constantFrom('/links', '/connectors/{id}', 'none', '/a"b\\'),
  method: fc.constantFrom('GET', 'POST'),
  status: fc.constantFrom(200, 404, 503),
  seconds: fc.oneof(fc.constantFrom(0, ...buckets), fc.double({ min: 0, max: 10, noNaN: true })),
});

const sortedLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.replace(/\{(.*)\}/, (_whole, labels: string) => `{${labels.split(',').sort().join(',')}}`))
    .sort();

test('the exposition equals that of the histogram of prom-client', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(observation), async (observations) => {
      const [own, reference] = [new Registry(), new Registry()];
      const durations = new RequestDurations();
      own.registerMetric(durations as unknown as Metric);
      const { name, help } = durations;
      const labelNames = ['route', 'method', 'status'];
      const histogram = new Histogram({ name, help, labelNames, buckets, registers: [reference] });
      for (const { route, method, status, seconds } of observations) {
        durations.observe(route, method, status, seconds);
        histogram.observe({ route, method, status }, seconds);
      }
      assert.deepEqual(sortedLines(await own.metrics()), sortedLines(await reference.metrics()));
    }),
  );
});
