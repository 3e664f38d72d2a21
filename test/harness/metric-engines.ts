// Real metric engines as processes on free loopback ports, each with its own folder.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { hasProgram } from './debian-packages.ts';
import { freePort } from './debian-postgres.ts';

export interface MetricEngine {
  url: string;
  child: ChildProcess;
  /** Writes line protocol with millisecond timestamps; returns when queries can find the samples. */
  write(lines: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a program and waits until its URL answers. */
export async function launchEngine(program: string, args: string[], url: string, probe: string, home: string) {
  const child = spawn(program, args, { cwd: home, stdio: ['ignore', 'ignore', 'pipe'] });
  // Ends the engine with the test process.
  process.once('exit', () => child.kill('SIGKILL'));
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said = `${said}${chunk}`.slice(-4000);
  });
  let isGone = false;
  const exited = once(child, 'exit').then(() => {
    isGone = true;
  });
  for (const until = Date.now() + 30_000; ; await pause(25)) {
    if (
      await fetch(`${url}${probe}`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      break;
    if (isGone || Date.now() > until) throw new Error(`${program} did not become ready:\n${said}`);
  }
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
    await rm(home, { recursive: true, force: true });
  };
  return { child, stop };
}

async function post(url: string, body: string): Promise<void> {
  const response = await fetch(url, { method: 'POST', body });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
}

export async function startInfluxdb(port?: number): Promise<MetricEngine> {
  const home = await mkdtemp(join(tmpdir(), 'pbinflux-'));
  const [http, rpc] = [port ?? (await freePort()), await freePort()];
  const url = `http://127.0.0.1:${http}`;
  const config = [
    'reporting-disabled = true',
    `bind-address = "127.0.0.1:${rpc}"`,
    `[meta]\ndir = "${home}/meta"`,
    `[data]\ndir = "${home}/data"\nwal-dir = "${home}/wal"\nquery-log-enabled = false`,
    `[http]\nbind-address = "127.0.0.1:${http}"\nlog-enabled = false\nmax-body-size = 0`,
    '[logging]\nlevel = "error"',
  ].join('\n');
  await writeFile(join(home, 'influxdb.conf'), config);
  const engine = await launchEngine('influxd', ['run', '-config', join(home, 'influxdb.conf')], url, '/ping', home);
  await post(`${url}/query`, new URLSearchParams({ q: 'CREATE DATABASE telegraf' }).toString()).catch(() =>
    post(`${url}/query?q=${encodeURIComponent('CREATE DATABASE telegraf')}`, ''),
  );
  return { ...engine, url, write: (lines) => post(`${url}/write?db=telegraf&precision=ms`, lines) };
}

export async function startVictoriaMetrics(port?: number): Promise<MetricEngine> {
  const home = await mkdtemp(join(tmpdir(), 'pbvm-'));
  const http = port ?? (await freePort());
  const url = `http://127.0.0.1:${http}`;
  const args = [
    `-storageDataPath=${home}/data`,
    `-httpListenAddr=127.0.0.1:${http}`,
    '-retentionPeriod=3',
    '-search.latencyOffset=0s',
    '-loggerLevel=ERROR',
  ];
  const engine = await launchEngine('victoria-metrics', args, url, '/health', home);
  return {
    ...engine,
    url,
    async write(lines) {
      await post(`${url}/write?precision=ms`, lines);
      await fetch(`${url}/internal/force_flush`);
    },
  };
}

export const enginePackages = ['influxdb', 'victoria-metrics'];
export const hasEngines = (): boolean => ['influxd', 'victoria-metrics'].every(hasProgram);
