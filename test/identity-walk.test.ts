// The documented walk is run as it stands.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { root } from './harness/process.ts';
import { fixture } from './harness/service.ts';

const f = await fixture();

test('every command of docs/identity-walk.md answers as the page says', { timeout: 60_000 }, async () => {
  const page = await readFile(join(root, 'docs', 'identity-walk.md'), 'utf8');
  const script = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block).join('\n');
  const expected = [...script.matchAll(/ {2,}# (\S+)$/gm)].map(([, status]) => status);
  assert.ok(expected.length > 25);
  // jq is on no machine by itself: the three things that the page asks of it are done by Node.
  const jq = `jq() { ${process.execPath} -e '
    const [, path] = process.argv; const value = JSON.parse(require("fs").readFileSync(0, "utf8"));
    console.log(path.match(/[a-zA-Z_]+|\\d+/g).reduce((inner, key) => inner[key], value));' "$2"; }`;
  const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', `${jq}\n${script}`], {
    env: { PATH: process.env.PATH ?? '', URL: `https://localhost:${f.service.port}`, DATA: f.data },
  });
  assert.deepEqual(stdout.trim().split('\n'), expected);
});
