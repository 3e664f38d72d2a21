// Runs the shell commands of a documented walk.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './process.ts';
import type { Fixture } from './service.ts';

/** A shell function: jq may not be installed, and Node replaces the few filters that the pages use. */
export const jqFunction = `jq() { ${process.execPath} -e '
  const [, path] = process.argv; const value = JSON.parse(require("fs").readFileSync(0, "utf8"));
  console.log(path.match(/[a-zA-Z_]+|\\d+/g).reduce((inner, key) => inner[key], value));' "$2"; }`;

/** Every command of a page prints the status that the page states. */
export async function walk(f: Fixture, name: string): Promise<void> {
  const page = await readFile(join(root, 'docs', name), 'utf8');
  const script = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block).join('\n');
  const expected = [...script.matchAll(/ {2,}# (\S+)$/gm)].map(([, status]) => status);
  assert.ok(expected.length > 25);
  const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', `${jqFunction}\n${script}`], {
    env: { PATH: process.env.PATH ?? '', URL: `https://localhost:${f.service.port}`, DATA: f.data },
  });
  assert.deepEqual(stdout.trim().split('\n'), expected);
}
