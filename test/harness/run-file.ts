// One test file in a process of its own, with Node's test runner.
import { resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { compileCache, root } from './process.ts';

export interface FileResult {
  passed: number;
  failed: number;
  skipped: number;
  seconds: number;
  output: string;
}

const timeoutMs = 1_200_000;
/** The runner's own totals, which the last line of the whole run replaces. */
const isTotal = (type: string, data: { nesting?: number; file?: string }): boolean =>
  type === 'test:diagnostic' && data.nesting === 0 && !data.file;

export async function runFile(file: string, databaseUrl: string | undefined): Promise<FileResult> {
  const started = Date.now();
  const events = run({
    files: [resolve(root, file)],
    cwd: root,
    timeout: timeoutMs,
    env: { ...process.env, ...compileCache, ...(databaseUrl && { TEST_DATABASE_URL: databaseUrl }) },
  });
  let counts: { passed: number; failed?: number; cancelled: number; skipped: number; todo: number } | undefined;
  events.on('test:summary', (summary) => {
    if (!summary.file) counts = summary.counts;
  });
  const report = events.filter(({ type, data }) => !isTotal(type, data)).compose(spec);
  let output = '';
  for await (const text of report) output += text;
  const seconds = (Date.now() - started) / 1000;
  // A runner that ended without its totals has not passed.
  if (!counts) return { passed: 0, failed: 1, skipped: 0, seconds, output: `${output}✖ no result\n` };
  const { passed, failed = 0, cancelled, skipped, todo } = counts;
  return { passed, failed: failed + cancelled, skipped: skipped + todo, seconds, output };
}
