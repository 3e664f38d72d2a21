// Checks that every code block of the documents can be pasted as it is.
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { jqFunction } from './harness/documented-walk.ts';
import { root } from './harness/process.ts';
import { fixture } from './harness/service.ts';

const f = await fixture();

interface Block {
  /** The page and line of the block. */
  place: string;
  language: string;
  text: string;
}

const pages = ['README.md', 'CONTRIBUTING.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)];
const blocksOf = (page: string): Block[] => {
  const source = readFileSync(join(root, page), 'utf8');
  return [...source.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].map(({ index, 1: language = '', 2: text = '' }) => ({
    place: `${page}:${source.slice(0, index).split('\n').length}`,
    language,
    text,
  }));
};
const blocks = pages.filter((page) => page.endsWith('.md')).flatMap(blocksOf);

/** An ellipsis, `<name>`, or a word in capitals that stands for a value. */
const placeholder = /…|\.\.\.|<[a-z][\w -]*>|(?<![-\w$"'{/.])(?:FILE|FOLDER|ID|NAME|NEW|MS|PERCENT|PART|ADDRESS)\b/;

test('no block contains a placeholder', () => {
  assert.ok(blocks.length > 40, `only ${blocks.length} blocks`);
  // Comments may abbreviate.
  const found = blocks.filter(({ text }) => placeholder.test(text.replace(/(?:^|\s)(?:#|--) .*$/gm, '')));
  assert.deepEqual(
    found.map(({ place }) => place),
    [],
  );
});

test('the shell parses every shell block, and JSON blocks are JSON', () => {
  for (const { place, language, text } of blocks)
    assert.doesNotThrow(() => {
      if (language === 'sh') execFileSync('bash', ['-n'], { input: text, stdio: ['pipe', 'pipe', 'pipe'] });
      if (language === 'json') JSON.parse(text);
    }, place);
});

for (const page of ['docs/metrics.md', 'docs/fabric.md'])
  test(`the requests of ${page} succeed in the demo world`, { timeout: 120_000 }, async () => {
    const requests = blocksOf(page).filter(
      // The simulated fabric has no looking glass.
      ({ text }) => text.includes('. examples/api.sh') && !text.includes('looking-glass'),
    );
    assert.ok(requests.length > 0);
    for (const { text } of requests)
      await promisify(execFile)('bash', ['--norc', '-e', '-o', 'pipefail', '-c', `${jqFunction}\n${text}`], {
        cwd: root,
        env: { PATH: process.env.PATH ?? '', URL: `https://localhost:${f.service.port}`, DATA: f.data },
      });
  });
