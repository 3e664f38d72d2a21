// Functions fit on one screen.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseSync } from 'vite';
import { sourceFiles } from '../scripts/import-graph.ts';

const root = join(import.meta.dirname, '..');
const maxLines = 80;
const functionTypes = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

interface Node {
  type: string;
  start: number;
  end: number;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;

/** The functions of a source text as [first line, last line]. */
function functionsIn(file: string, text: string): [number, number][] {
  const { program, errors } = parseSync(file, text);
  assert.deepEqual(errors, [], file);
  const found: [number, number][] = [];
  const lineAt = (offset: number): number => text.slice(0, offset).split('\n').length;
  const rest: unknown[] = [program];
  while (rest.length) {
    const value = rest.pop();
    if (Array.isArray(value)) rest.push(...value);
    if (!isNode(value)) continue;
    if (functionTypes.has(value.type)) found.push([lineAt(value.start), lineAt(value.end)]);
    rest.push(...Object.values(value));
  }
  return found;
}

test(`no function of src/ is longer than ${maxLines} lines`, () => {
  let count = 0;
  const long: string[] = [];
  for (const file of sourceFiles('src'))
    for (const [first, last] of functionsIn(file, readFileSync(join(root, file), 'utf8'))) {
      count++;
      if (last - first + 1 > maxLines) long.push(`${file}:${first} (${last - first + 1} lines)`);
    }
  assert.ok(count > 2000, `only ${count} functions were found`);
  assert.deepEqual(long, []);
});

test('nested functions, methods and arrow functions are counted', () => {
  const text = 'class A {\n  b() {\n    return () => {\n    };\n  }\n}\nfunction c() {\n}\n';
  assert.deepEqual(
    functionsIn('a.ts', text).sort(([a], [b]) => a - b),
    [
      [2, 5],
      [3, 4],
      [7, 8],
    ],
  );
});
