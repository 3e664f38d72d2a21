// npm run torture -- PART…: the hard tests at full size. npm test runs each part at a small size.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { selectParts } from '../test/harness/requested-parts.ts';
import { parts, skipped } from './parts.ts';
import { seed } from './seed.ts';

/** Runs every part in its own process, one after the other, and prints a table. */
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
    const notRun = lines.filter((line) => line.startsWith('NOT RUN'));
    // Result lines begin with a name and a colon; the last one of a part is its duration.
    const results = lines
      .filter((line) => /^[a-z-]+: (?!passed in|ended after)/.test(line))
      .map((line) => line.replace(/^[a-z-]+: /, ''));
    const outcome = code !== 0 ? 'failed' : notRun.length ? 'not run' : 'reached';
    isGood &&= outcome === 'reached';
    const seconds = Math.round((Date.now() - started) / 1000);
    rows.push(`| ${name} | ${outcome} | ${[...results, ...notRun].join('; ')} | ${seconds} s |`);
  }
  console.log(`\nseed ${seed}\n\n| Part | | Result | Time |\n|---|---|---|---|\n${rows.join('\n')}`);
  return isGood;
}

const requested = selectParts(
  parts,
  (list) => `npm run torture             all parts, with a table at the end
npm run torture -- PART…
${list}
TORTURE_SEED=word repeats the random decisions of a run. Smaller sizes: TORTURE_ROUNDS=100 and TORTURE_RACES=word,word
for races, TORTURE_EVERY=5 (a fifth of the references) for tenants, TORTURE_KILLS=20 for kill, TORTURE_ROUTES=word for stalls.
TORTURE_FROM=commit is the version that upgrade starts from (the commit before this one).`,
);
if (requested.length === 0) process.exit((await runAll()) ? 0 : 1);
for (const name of requested) {
  const started = Date.now();
  const before = skipped.length;
  await parts[name]?.run();
  const seconds = Math.round((Date.now() - started) / 1000);
  console.log(`${name}: ${skipped.length > before ? 'ended after' : 'passed in'} ${seconds} s`);
}
