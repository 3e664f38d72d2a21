import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { createOtlpTracer } from './otlp-tracer.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const ids = `${traceId}-00f067aa0ba902b7`;

function tracerOf(sampler?: string, samplerArgument?: string) {
  const lines: string[] = [];
  const logger = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
  const tracer = createOtlpTracer({ version: '1', sampler, samplerArgument, scheduleDelayMs: undefined }, logger);
  const continued = (traceparent: string) =>
    tracer.begin({ name: 'GET', remote: { traceparent } }, undefined).traceparent;
  return { continued, lines };
}

test('a valid traceparent is continued, with its decision on sampling', () => {
  const { continued } = tracerOf();
  assert.match(continued(`00-${ids}-01`), new RegExp(`^00-${traceId}-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$`));
  assert.match(continued(`00-${ids}-00`), new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
  // A later version may add fields.
  assert.match(continued(`01-${ids}-03-more`), new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
});

test('an invalid traceparent begins a new trace', () => {
  const { continued } = tracerOf();
  const zeros = (length: number) => '0'.repeat(length);
  const invalid = [
    '',
    'x',
    `ff-${ids}-01`,
    `00-${ids}-01-more`,
    `00-${ids}`,
    `00-${ids.toUpperCase()}-01`,
    `00-${zeros(32)}-00f067aa0ba902b7-01`,
    `00-${traceId}-${zeros(16)}-01`,
    `00-${ids}-01, 00-${ids}-01`,
  ];
  for (const traceparent of invalid) {
    const begun = continued(traceparent);
    assert.match(begun, /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/, traceparent);
    assert.ok(!begun.includes(traceId), traceparent);
  }
});

test('an unknown sampler or argument is ignored with a warning', () => {
  const unknown = tracerOf('sometimes');
  assert.match(unknown.continued(''), /-01$/);
  assert.match(unknown.lines.join(), /^OTEL_TRACES_SAMPLER is none of always_on, .*every trace is sampled\.$/);
  const outside = tracerOf('traceidratio', '7');
  assert.match(outside.continued(''), /-01$/);
  assert.match(outside.lines.join(), /^OTEL_TRACES_SAMPLER_ARG is no number from 0 to 1\./);
  const never = tracerOf('parentbased_traceidratio', '0');
  assert.match(never.continued(''), /-00$/);
  assert.match(never.continued(`00-${ids}-01`), /-01$/);
  assert.deepEqual(never.lines, []);
});
