// npm run torture -- PART: the hard tests at full size. Each part is run small by npm test.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { selectParts } from '../test/harness/requested-parts.ts';
import { notRun, parts } from './parts.ts';
import { seed } from './seed.ts';

/** Every part in a process of its own, one after the other, and a table at the end. */
async function runAll(): Promise<boolean> {
  const rows: string[] = [];
  let isGood = true;
  for (const name of Object.keys(parts)) {
    console.log(`\n── ${name}\n`);
    const started = Date.now();
    const child = spawn(process.execPath, [import.meta.filename, name], {
      env: { ...process.env, TORTURE_SEED: seed },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      process.stdout.write(chunk);
      output += chunk;
    });
    const [code] = (await once(child, 'close')) as [number | null];
    const lines = output.split('\n');
    const missing = lines.filter((line) => line.startsWith('NOT RUN'));
    // What a part has to say stands in lines that begin with its name; the last of them says how long it took.
    const told = lines
      .filter((line) => /^[a-z-]+: (?!passed in|ended after)/.test(line))
      .map((line) => line.replace(/^[a-z-]+: /, ''));
    const verdict = code !== 0 ? 'failed' : missing.length ? 'not run' : 'reached';
    isGood &&= verdict === 'reached';
    rows.push(
      `| ${name} | ${verdict} | ${[...told, ...missing].join('; ')} | ${Math.round((Date.now() - started) / 1000)} s |`,
    );
  }
  console.log(`\nseed ${seed}\n\n| Part | | Seen | Time |\n|---|---|---|---|\n${rows.join('\n')}`);
  return isGood;
}

const asked = selectParts(
  parts,
  (list) =>
    `npm run torture             everything, with a table at the end\nnpm run torture -- PART…\n${list}\nTORTURE_SEED=word brings back what chance decided. Portions: TORTURE_ROUNDS=100 and TORTURE_RACES=word,word of races,\nTORTURE_EVERY=5 (a fifth of the names) of tenants, TORTURE_KILLS=20 of kill.`,
);
if (asked.length === 0) process.exit((await runAll()) ? 0 : 1);
for (const name of asked) {
  const started = Date.now();
  const before = notRun.length;
  await parts[name]?.run();
  const seconds = Math.round((Date.now() - started) / 1000);
  console.log(`${name}: ${notRun.length > before ? 'ended after' : 'passed in'} ${seconds} s`);
}
