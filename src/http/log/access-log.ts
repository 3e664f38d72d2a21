// The log line of an answer, written as the logger would write it. There are so many of the same shape that making an object of each, and text of
// that, costs a sixth of a kept answer.
import { type Logger, pino } from 'pino';

export interface AccessLogEntry {
  /** Of letters, digits and - _ . alone. */
  requestId: string;
  method: string;
  /** As JSON. */
  path: string;
  status: number;
  ms: number;
  address: string;
}

export function createAccessLog(logger: Logger): (answered: AccessLogEntry) => void {
  const stream = (logger as unknown as Record<symbol, { write(line: string): void }>)[pino.symbols.streamSym];
  const level = logger.levels.values.info;
  let ms = 0;
  let time = '';
  return (answered) => {
    if (!logger.isLevelEnabled('info')) return;
    const now = Date.now();
    if (now !== ms) {
      ms = now;
      time = new Date(now).toISOString();
    }
    stream?.write(
      `{"level":${level},"time":"${time}","requestId":"${answered.requestId}","method":"${answered.method}","path":${answered.path},"status":${answered.status},"ms":${answered.ms},"address":${JSON.stringify(answered.address)}}\n`,
    );
  };
}
