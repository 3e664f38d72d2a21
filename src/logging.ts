// One JSON line for each event; pretty on a terminal. No secret gets this far: requests are logged by what of their path is ours, errors by what
// they are, never with what was sent.
import { type Logger, type LoggerOptions, pino } from 'pino';

const flushEveryMs = 100;
const warnLevel = 40;

/** Lines go out together, a few times a second or when there are many: a system call for each would cost as much as answering. */
function createLines(options: LoggerOptions): Logger {
  const lines = pino.destination({ dest: 1, sync: true, minLength: 8 * 1024 });
  setInterval(() => lines.flushSync(), flushEveryMs).unref();
  process.once('exit', () => lines.flushSync());
  const hooks: LoggerOptions['hooks'] = {
    logMethod(args, method, level) {
      method.apply(this, args);
      // What somebody should look at does not wait, nor does anything before it.
      if (level >= warnLevel) lines.flushSync();
    },
  };
  return pino({ ...options, hooks }, lines);
}

export async function createLogger(level: string): Promise<Logger> {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: {
      err: ({ name, message, code, stack }: Error & { code?: string }) => ({ name, message, code, stack }),
    },
  };
  if (!process.stdout.isTTY) return createLines(options);
  const { default: pretty } = await import('pino-pretty');
  const line = '{if method}{method} {path} {status} {ms} ms {requestId}{end} {msg}';
  return pino(options, pretty({ messageFormat: line, ignore: 'method,path,status,ms,requestId,address', sync: true }));
}
