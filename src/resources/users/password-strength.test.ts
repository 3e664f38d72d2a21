import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createPasswordStrength } from './password-strength.ts';

const folder = await mkdtemp(join(tmpdir(), 'pbstrength-'));
after(() => rm(folder, { recursive: true, force: true }));
const writeWorker = async (name: string, onMessage: string, first = ''): Promise<URL> => {
  const file = join(folder, `${name}.mjs`);
  await writeFile(
    file,
    `import { parentPort } from 'node:worker_threads';
${first}
parentPort.on('message', ({ id, request: texts }) => { ${onMessage} });
`,
  );
  return pathToFileURL(file);
};
const respond = 'parentPort.postMessage({ id, response: 4 })';

test('common passwords are weak, random words are strong, long ones are estimated by their ends', async () => {
  const strength = createPasswordStrength();
  assert.equal(await strength('password1234'), 1);
  assert.equal(await strength('tidal lantern orbit cedar'), 4);
  assert.ok((await strength('a'.repeat(128))) < 3);
  assert.ok((await strength('aB3$'.repeat(32))) <= 4);
});

test('a worker that exits, throws or hangs is replaced, and its requests fail', { timeout: 30_000 }, async () => {
  for (const [name, misbehaviour] of [
    ['ends', 'process.exit(0)'],
    ['throws', `throw new Error('x')`],
    ['hangs', 'for (;;);'],
  ]) {
    const strength = createPasswordStrength(
      await writeWorker(name ?? '', `if (texts[0] === 'bad') { ${misbehaviour} } else { ${respond} }`),
    );
    assert.equal(await strength('good'), 4);
    await assert.rejects(strength('bad'), { code: 'Busy' }, name);
    assert.equal(await strength('good'), 4, `after a worker that ${name}`);
  }
});

test('a request that waits behind slow ones does not time out', { timeout: 60_000 }, async () => {
  const strength = createPasswordStrength(
    await writeWorker('busy', `for (const until = Date.now() + 300; Date.now() < until; ); ${respond}`),
  );
  await strength('good');
  assert.deepEqual(new Set(await Promise.all(Array.from({ length: 20 }, () => strength('good')))), new Set([4]));
});

test('a worker that starts slowly is not replaced', { timeout: 30_000 }, async () => {
  const strength = createPasswordStrength(
    await writeWorker('slow-start', respond, 'await new Promise((resolve) => setTimeout(resolve, 6000));'),
  );
  assert.equal(await strength('good'), 4);
});

test('more than 150 concurrent requests are rejected', async () => {
  const strength = createPasswordStrength(await writeWorker('slow', `setTimeout(() => ${respond}, 200)`));
  const ends = await Promise.allSettled(Array.from({ length: 160 }, () => strength('good')));
  assert.equal(ends.filter((end) => end.status === 'rejected').length, 10);
});
