// One JSON line for each event; pretty on a terminal. No secret gets this far: requests are logged by what of their path is ours, errors by what
// they are, never with what was sent.
import { writeSync } from 'node:fs';
import { type Logger, type LoggerOptions, pino } from 'pino';

const flushEveryMs = 100;
const mostBytes = 8 * 1024;
const warnLevel = 40;

/** Lines go out together, a few times a second or when there are many: a system call for each would cost as much as answering. */
function createLines() {
  let text = '';
  let isHeard = true;
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  function flush(): void {
    const bytes = Buffer.from(text);
    text = '';
    for (let sent = 0; isHeard && sent < bytes.length; )
      try {
        sent += writeSync(1, bytes, sent);
      } catch (error) {
        // Whoever reads may be slow, and is waited for. One that has gone away must not take the service with it.
        if ((error as NodeJS.ErrnoException).code === 'EAGAIN') Atomics.wait(sleeper, 0, 0, 5);
        else isHeard = false;
      }
  }
  const write = (line: string): void => {
    text += line;
    if (text.length >= mostBytes) flush();
  };
  return { write, flush };
}

function linesLogger(options: LoggerOptions): Logger {
  const lines = createLines();
  setInterval(lines.flush, flushEveryMs).unref();
  process.once('exit', lines.flush);
  const hooks: LoggerOptions['hooks'] = {
    logMethod(args, method, level) {
      method.apply(this, args);
      // What somebody should look at does not wait, nor does anything before it.
      if (level >= warnLevel) lines.flush();
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
  if (!process.stdout.isTTY) return linesLogger(options);
  const { default: pretty } = await import('pino-pretty');
  const line = '{if method}{method} {path} {status} {ms} ms {requestId}{end} {msg}';
  return pino(options, pretty({ messageFormat: line, ignore: 'method,path,status,ms,requestId,address', sync: true }));
}
