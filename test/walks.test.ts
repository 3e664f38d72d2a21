// The documented walks are run as they stand.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { root } from './harness/process.ts';
import { fixture } from './harness/service.ts';

const f = await fixture();

const walk = async (name: string) => {
  const page = await readFile(join(root, 'docs', name), 'utf8');
  const script = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block).join('\n');
  const expected = [...script.matchAll(/ {2,}# (\S+)$/gm)].map(([, status]) => status);
  assert.ok(expected.length > 25);
  // jq is on no machine by itself: what the pages ask of it is done by Node.
  const jq = `jq() { ${process.execPath} -e '
    const [, path] = process.argv; const value = JSON.parse(require("fs").readFileSync(0, "utf8"));
    console.log(path.match(/[a-zA-Z_]+|\\d+/g).reduce((inner, key) => inner[key], value));' "$2"; }`;
  const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', `${jq}\n${script}`], {
    env: { PATH: process.env.PATH ?? '', URL: `https://localhost:${f.service.port}`, DATA: f.data },
  });
  assert.deepEqual(stdout.trim().split('\n'), expected);
};

for (const name of ['identity-walk.md', 'inventory-walk.md'])
  test(`every command of docs/${name} answers as the page says`, { timeout: 60_000 }, () => walk(name));
