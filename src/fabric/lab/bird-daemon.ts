// BIRD daemons: started in a namespace, asked over their control sockets (the text that birdc speaks), and found again after a restart.
import { readFile, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type CommandRunner, endProcess, LabError, processOf } from './command-runner.ts';

export interface Daemons {
  /** The configuration on disk of a place; undefined when there is none. */
  configurationOf(place: string): Promise<string | undefined>;
  /** Whether it runs, and in this very namespace. */
  isRunning(place: string, namespace: string): Promise<boolean>;
  /** Whether somebody else has told it to load a configuration since we did. */
  isReloaded(place: string): Promise<boolean>;
  /** The process of a place, if it runs. */
  pidOf(place: string): Promise<number | undefined>;
  /** Asks a running one; lines without their codes. */
  ask(place: string, question: string): Promise<string[]>;
  /** Has a place run with a configuration, whatever was there before. */
  ensure(place: string, namespace: string, configuration: string): Promise<void>;
  end(place: string): Promise<void>;
}

const answerMs = 3000;

/** One question and its answer. A line with a code and a blank is the last; codes from 8000 up are complaints. */
function converse(socket: string, question: string): Promise<string[]> {
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
    const timer = setTimeout(() => end(new LabError('BIRD did not answer in time')), answerMs);
    const take = (line: string): void => {
      const [, code = '', mark, text = ''] = /^(?:(\d{4})([ -]))?(.*)$/s.exec(line) ?? [];
      if (!isGreeted) {
        isGreeted = true;
        connection.write(`${question}\n`);
        return;
      }
      lines.push(code ? text : line.slice(1));
      if (mark !== ' ') return;
      end(Number(code) >= 8000 ? new LabError(`BIRD: ${text}`) : undefined);
    };
    connection.setEncoding('utf8');
    connection.on('data', (chunk: string) => {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop() ?? '';
      for (const line of parts) take(line);
    });
    connection.on('error', (error) => end(new LabError(`BIRD cannot be asked: ${error.message}`)));
    connection.on('close', () => end(new LabError('BIRD hung up')));
  });
}

export function superviseDaemons(machine: CommandRunner, folder: string, sockets: string): Daemons {
  const fileOf = (place: string): string => join(folder, `${place}.conf`);
  const socketOf = (place: string): string => join(sockets, `${place}.ctl`);
  const pidFileOf = (place: string): string => join(folder, `${place}.pid`);
  const pidOf = (place: string) => processOf(pidFileOf(place), fileOf(place));
  /** A namespace that was made again under its old name is another one. */
  const pidIn = async (place: string, namespace: string): Promise<number | undefined> => {
    const pid = await pidOf(place);
    if (pid === undefined) return undefined;
    const own = await readlink(`/proc/${pid}/ns/net`).catch(() => '');
    return own === machine.identityOf(namespace) ? pid : undefined;
  };
  const ask = (place: string, question: string) => converse(socketOf(place), question);

  const noteFileOf = (place: string): string => join(folder, `${place}.loaded`);
  const loadedAt = async (place: string): Promise<string> =>
    (await ask(place, 'show status')).find((line) => line.startsWith('Last reconfiguration')) ?? '';
  const noteLoaded = async (place: string): Promise<void> => writeFile(noteFileOf(place), await loadedAt(place));

  async function start(place: string, namespace: string): Promise<void> {
    await rm(socketOf(place), { force: true });
    await machine.run('ip', [
      ...['netns', 'exec', namespace, 'bird'],
      ...['-c', fileOf(place), '-s', socketOf(place), '-P', pidFileOf(place)],
    ]);
    // It is in the background when that ends, and opens its socket soon.
    for (let look = 0; ; look++) {
      if (await ask(place, 'show status').then(Boolean, () => false)) return;
      if (look === 200) throw new LabError(`BIRD of ${place} does not come up`);
      await pause(5);
    }
  }

  return {
    configurationOf: (place) => readFile(fileOf(place), 'utf8').catch(() => undefined),
    isRunning: async (place, namespace) => (await pidIn(place, namespace)) !== undefined,
    isReloaded: async (place) =>
      (await loadedAt(place)) !== (await readFile(noteFileOf(place), 'utf8').catch(() => '')),
    pidOf,
    ask,
    async ensure(place, namespace, configuration) {
      const draft = `${fileOf(place)}.draft`;
      await writeFile(draft, configuration, { mode: 0o600 });
      await rename(draft, fileOf(place));
      if ((await pidIn(place, namespace)) === undefined) {
        const stray = await pidOf(place);
        if (stray) await endProcess(stray);
        await start(place, namespace);
        return noteLoaded(place);
      }
      try {
        await ask(place, 'configure');
        // What somebody disabled by hand, or a limit did, begins again.
        await ask(place, 'enable all');
      } catch {
        // One that does not do what it is told is replaced.
        await endProcess((await pidOf(place)) ?? 0);
        await start(place, namespace);
      }
      await noteLoaded(place);
    },
    async end(place) {
      const pid = await pidOf(place);
      if (pid) await endProcess(pid);
      for (const file of [fileOf(place), pidFileOf(place), socketOf(place), noteFileOf(place)])
        await rm(file, { force: true });
    },
  };
}
