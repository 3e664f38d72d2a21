// A real Prometheus that scrapes a service every second and evaluates the rules of examples/.
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureDebianPackages, hasProgram, stopDaemon } from './debian-packages.ts';
import { freePort } from './debian-postgres.ts';
import { launchEngine } from './metric-engines.ts';
import { root } from './process.ts';

const hasPrometheus = (): boolean => ['prometheus', 'promtool'].every(hasProgram);

export async function ensurePrometheus(): Promise<string | undefined> {
  if (hasPrometheus()) return undefined;
  const problem = await ensureDebianPackages(['prometheus'], hasPrometheus);
  if (!problem) stopDaemon('prometheus');
  return problem;
}

export interface QueryResult {
  metric: Record<string, string>;
  value: [number, string];
}

export interface Rule {
  name: string;
  query: string;
  health: string;
  lastError?: string;
  state: string;
}

export interface Prometheus {
  url: string;
  query(expression: string): Promise<QueryResult[]>;
  rules(): Promise<Rule[]>;
  stop(): Promise<void>;
}

export async function startPrometheus(monitorPort: number): Promise<Prometheus> {
  const home = await mkdtemp(join(tmpdir(), 'pbprometheus-'));
  const address = `127.0.0.1:${await freePort()}`;
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [join(root, 'examples', 'alerts.yml')],
    scrape_configs: [{ job_name: 'patchbay', static_configs: [{ targets: [`127.0.0.1:${monitorPort}`] }] }],
  };
  // JSON is valid YAML.
  await writeFile(join(home, 'prometheus.yml'), JSON.stringify(config));
  const args = [
    `--config.file=${home}/prometheus.yml`,
    `--storage.tsdb.path=${home}/data`,
    `--web.listen-address=${address}`,
  ];
  const url = `http://${address}`;
  const { stop } = await launchEngine('prometheus', args, url, '/-/ready', home);
  const get = async (path: string) => {
    const response = await fetch(`${url}/api/v1/${path}`);
    const body = JSON.parse(await response.text());
    if (body.status !== 'success') throw new Error(`${path}: ${body.error}`);
    return body.data;
  };
  return {
    url,
    query: async (expression) => {
      const { result, resultType } = await get(`query?query=${encodeURIComponent(expression)}`);
      return resultType === 'scalar' ? [{ metric: {}, value: result }] : result;
    },
    rules: async () => (await get('rules')).groups.flatMap(({ rules }: { rules: Rule[] }) => rules),
    stop,
  };
}
