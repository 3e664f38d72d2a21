// Client of BIRD's control socket, which speaks the same text as birdc.
import { connect } from 'node:net';
import { LabError } from './programs.ts';

const timeoutMs = 3000;
/** Reply codes from here on are errors. */
const firstErrorCode = 8000;

/** Sends one command and returns the reply lines without their codes. A line with a code and a blank ends the reply. */
export function sendCommand(socket: string, command: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const connection = connect(socket);
    const lines: string[] = [];
    let rest = '';
    let isGreeted = false;
    const end = (error?: Error): void => {
      clearTimeout(timer);
      connection.destroy();
      if (error) reject(error);
      else resolve(lines);
    };
    const timer = setTimeout(() => end(new LabError('BIRD did not answer in time')), timeoutMs);
    const handleLine = (line: string): void => {
      const [, code = '', separator, text = ''] = /^(?:(\d{4})([ -]))?(.*)$/s.exec(line) ?? [];
      if (!isGreeted) {
        isGreeted = true;
        connection.write(`${command}\n`);
        return;
      }
      lines.push(code ? text : line.slice(1));
      if (separator !== ' ') return;
      end(Number(code) >= firstErrorCode ? new LabError(`BIRD: ${text}`) : undefined);
    };
    connection.setEncoding('utf8');
    connection.on('data', (chunk: string) => {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop() ?? '';
      for (const line of parts) handleLine(line);
    });
    connection.on('error', (error) => end(new LabError(`BIRD's control socket fails: ${error.message}`)));
    connection.on('close', () => end(new LabError('BIRD closed its control socket')));
  });
}
