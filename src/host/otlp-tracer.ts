// The tracer that exports spans with OTLP. Only this file imports OpenTelemetry, and it is loaded only when traces are on.
// The exporter itself reads endpoint, headers, timeout, compression and certificates from the standard variables.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  createTraceState,
  type Span as OtelSpan,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import type { Span, SpanAttributes, SpanDescription, Tracer } from './tracing.ts';

export interface OtlpTracer extends Tracer {
  /** Exports what is left, for a few seconds at most. */
  stop(): Promise<void>;
}

export interface OtlpOptions {
  version: string;
  sampler: string | undefined;
  samplerArgument: string | undefined;
  scheduleDelayMs: number | undefined;
}

const stopTimeoutMs = 3000;
const maxReasonLength = 200;

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

/** Version 00, and the known part of later versions, as the W3C recommendation requires. */
const traceparentPattern =
  /^(?!ff|00.{54})[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:$|-)/;

function remoteContext({ traceparent = '', tracestate }: NonNullable<SpanDescription['remote']>) {
  const [, traceId, spanId, flags] = traceparentPattern.exec(traceparent) ?? [];
  if (!traceId || !spanId || !flags) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(tracestate ? { traceState: createTraceState(tracestate) } : {}),
  });
}

class ExportedSpan implements Span {
  readonly otel: OtelSpan;

  constructor(otel: OtelSpan) {
    this.otel = otel;
  }

  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.otel.spanContext();
    return `00-${traceId}-${spanId}-0${traceFlags & 1}`;
  }

  setAttributes(attributes: SpanAttributes): void {
    this.otel.setAttributes(attributes);
  }

  fail(errorType: string): void {
    this.otel.setAttribute('error.type', errorType);
    this.otel.setStatus({ code: SpanStatusCode.ERROR });
  }

  end(): void {
    this.otel.end();
  }
}

/** Warns once when the collector stops accepting spans, and says once that it accepts them again. */
function reporting(exporter: SpanExporter, logger: Logger): SpanExporter {
  let isFailing = false;
  const report = (error: Error | undefined): void => {
    if (error && !isFailing) {
      const reason = error.message.slice(0, maxReasonLength);
      logger.warn(`The collector does not accept traces (${reason}). They are discarded until it does.`);
    }
    if (!error && isFailing) logger.info('The collector accepts traces again.');
    isFailing = error !== undefined;
  };
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        report(result.code === 0 ? undefined : (result.error ?? new Error('no reason given')));
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}

function ratioOf(argument: string | undefined, logger: Logger): number {
  const ratio = Number(argument ?? 1);
  if (ratio >= 0 && ratio <= 1) return ratio;
  logger.warn('OTEL_TRACES_SAMPLER_ARG is no number from 0 to 1. It is ignored: every trace is sampled.');
  return 1;
}

function samplerOf({ sampler = 'parentbased_always_on', samplerArgument }: OtlpOptions, logger: Logger): Sampler {
  const samplers: Record<string, () => Sampler> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratioOf(samplerArgument, logger)),
  };
  const [, parentBased, name = ''] = /^(parentbased_)?(.*)$/.exec(sampler) ?? [];
  const create = Object.hasOwn(samplers, name) ? samplers[name] : undefined;
  if (!create) {
    const known = Object.keys(samplers).flatMap((one) => [one, `parentbased_${one}`]);
    logger.warn(`OTEL_TRACES_SAMPLER is none of ${known.join(', ')}. It is ignored: every trace is sampled.`);
    return new ParentBasedSampler({ root: new AlwaysOnSampler() });
  }
  return parentBased ? new ParentBasedSampler({ root: create() }) : create();
}

/** OTEL_SERVICE_NAME takes precedence over OTEL_RESOURCE_ATTRIBUTES, and both over these defaults. */
const resourceOf = (version: string) =>
  resourceFromAttributes({
    'service.name': 'patchbay',
    'service.version': version,
    'service.instance.id': randomUUID(),
  }).merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }));

function startSpan(otel: OtelTracer, { name, kind, attributes, remote }: SpanDescription, parent: Span | undefined) {
  const inherited = parent instanceof ExportedSpan ? trace.setSpan(ROOT_CONTEXT, parent.otel) : ROOT_CONTEXT;
  const context = remote ? remoteContext(remote) : inherited;
  const options = { kind: kind ? kinds[kind] : SpanKind.INTERNAL, ...(attributes ? { attributes } : {}) };
  return new ExportedSpan(otel.startSpan(name, options, context));
}

export function createOtlpTracer(options: OtlpOptions, logger: Logger): OtlpTracer {
  const { version, scheduleDelayMs } = options;
  const processor = new BatchSpanProcessor({
    exporter: reporting(new OTLPTraceExporter(), logger),
    ...(scheduleDelayMs === undefined ? {} : { scheduledDelayMillis: scheduleDelayMs }),
  });
  const provider = new TracerProvider({
    resource: resourceOf(version),
    sampler: samplerOf(options, logger),
    spanProcessors: [processor],
  });
  const otel = provider.getTracer('patchbay', version);
  return {
    begin: (description, parent) => startSpan(otel, description, parent),
    async stop() {
      await Promise.race([provider.shutdown().catch(() => undefined), pause(stopTimeoutMs, undefined, { ref: false })]);
    },
  };
}
