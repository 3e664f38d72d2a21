// One JSON line for each event on standard output; a readable format on a terminal. Callers pass no secrets: requests are
// logged with a redacted path, errors with name, message, code and stack, never with the data of the request.
import { type Logger, type LoggerOptions, pino } from 'pino';

const warnLevel = 40;

/** pino's ISO time, formatted once per millisecond: formatting is the largest part of a log line's cost. */
function createTimestamp(): () => string {
  let formattedMs = 0;
  let field = '';
  return () => {
    const nowMs = Date.now();
    if (nowMs !== formattedMs) {
      formattedMs = nowMs;
      field = `,"time":"${new Date(nowMs).toISOString()}"`;
    }
    return field;
  };
}

/** Buffers lines: one system call per line would cost as much as a cached response. */
function bufferedLogger(options: LoggerOptions): Logger {
  const destination = pino.destination({ dest: 1, sync: true, minLength: 8 * 1024, periodicFlush: 100 });
  process.once('exit', () => destination.flushSync());
  const hooks: LoggerOptions['hooks'] = {
    logMethod(args, method, level) {
      method.apply(this, args);
      if (level >= warnLevel) destination.flushSync();
    },
  };
  return pino({ ...options, hooks }, destination);
}

export async function createLogger(level: string): Promise<Logger> {
  const options = {
    level,
    base: null,
    timestamp: createTimestamp(),
    serializers: {
      err: ({ name, message, code, stack }: Error & { code?: string }) => ({ name, message, code, stack }),
    },
  };
  if (!process.stdout.isTTY) return bufferedLogger(options);
  const { default: pretty } = await import('pino-pretty');
  const line = '{if method}{method} {path} {status} {ms} ms {requestId}{end} {msg}';
  return pino(options, pretty({ messageFormat: line, ignore: 'method,path,status,ms,requestId,address', sync: true }));
}
