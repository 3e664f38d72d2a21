// One JSON line for each event; pretty on a terminal. No secret gets this far: requests are logged by path, errors by what
// they are, never with what was sent.
import { type Logger, pino } from 'pino';

export async function createLogger(level: string): Promise<Logger> {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: {
      err: ({ name, message, code, stack }: Error & { code?: string }) => ({ name, message, code, stack }),
    },
  };
  if (!process.stdout.isTTY) return pino(options);
  const { default: pretty } = await import('pino-pretty');
  const line = '{if method}{method} {path} {status} {ms} ms {requestId}{end} {msg}';
  return pino(options, pretty({ messageFormat: line, ignore: 'method,path,status,ms,requestId,address', sync: true }));
}
