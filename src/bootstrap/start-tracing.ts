// Starts the export of traces where OpenTelemetry's standard environment variables ask for it. Otherwise nothing of
// OpenTelemetry is loaded.
import type { Logger } from 'pino';
import { OperatorError } from '../errors/operator-error.ts';
import { setTracer } from '../host/tracing.ts';

export interface Tracing {
  stop(): Promise<void>;
}

type Environment = Record<string, string | undefined>;

const off: Tracing = { stop: async () => undefined };
const supportedProtocol = 'http/protobuf';
const endpointVariables = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'];
const protocolVariables = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'];

/** The specification treats an empty value as unset. */
const settingOf = (environment: Environment, name: string): string | undefined =>
  environment[name]?.trim() || undefined;

const firstSet = (environment: Environment, names: string[]): string | undefined =>
  names.find((name) => settingOf(environment, name) !== undefined);

function rejectUnsupported(environment: Environment, endpointName: string): void {
  const exporter = settingOf(environment, 'OTEL_TRACES_EXPORTER');
  if (exporter !== undefined && exporter !== 'otlp')
    throw new OperatorError('OTEL_TRACES_EXPORTER must be otlp or none: Patchbay exports traces with OTLP only.');
  const protocolName = firstSet(environment, protocolVariables);
  if (protocolName && settingOf(environment, protocolName) !== supportedProtocol)
    throw new OperatorError(
      `${protocolName} must be ${supportedProtocol} or unset: Patchbay supports no other protocol. ` +
        "Set the endpoint to the collector's port for OTLP over HTTP, which is usually 4318.",
    );
  // The value may contain a password, so the message does not repeat it.
  const endpoint = settingOf(environment, endpointName) ?? '';
  if (!URL.canParse(endpoint) || !['http:', 'https:'].includes(new URL(endpoint).protocol))
    throw new OperatorError(`${endpointName} must be a URL that starts with http:// or https://.`);
}

function isRequested(environment: Environment): boolean {
  if (settingOf(environment, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return false;
  return settingOf(environment, 'OTEL_TRACES_EXPORTER') !== 'none';
}

export async function startTracing(environment: Environment, version: string, logger: Logger): Promise<Tracing> {
  const endpointName = firstSet(environment, endpointVariables);
  if (!endpointName || !isRequested(environment)) return off;
  rejectUnsupported(environment, endpointName);
  const { createOtlpTracer } = await import('../host/otlp-tracer.ts');
  const delay = settingOf(environment, 'OTEL_BSP_SCHEDULE_DELAY');
  const tracer = createOtlpTracer(
    {
      version,
      sampler: settingOf(environment, 'OTEL_TRACES_SAMPLER'),
      samplerArgument: settingOf(environment, 'OTEL_TRACES_SAMPLER_ARG'),
      scheduleDelayMs: delay && /^\d{1,6}$/.test(delay) ? Number(delay) : undefined,
    },
    logger,
  );
  setTracer(tracer);
  return tracer;
}
