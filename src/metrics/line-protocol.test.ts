import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { threadCpuMs } from '../concurrency/work-account.ts';
import { parseLines } from './line-protocol.ts';
import { fieldNames } from './point-columns.ts';
import { type FieldName, fields } from './quantities.ts';

const now = Date.UTC(2026, 10, 14, 9, 30);
const irn = 'irn:connectors:k3x9m2p7q1za::6x0k3f0v1c9r2b7q5d8w4n1ty';
interface Line {
  number: number;
  irn: string;
  atMs: number;
  values: { field: FieldName; value: number }[];
}

/** The parsed rows, grouped by line. */
async function parse(text: string, precision: Parameters<typeof parseLines>[1] = 's') {
  const parsed = await parseLines(text, precision, now);
  const lines: Line[] = [];
  for (const rows of parsed.parts)
    for (let row = 0; row < rows.count; row++) {
      const number = rows.lineNumbers[row] ?? 0;
      const field = fieldNames[rows.fieldIndexes[row] ?? 0] as FieldName;
      const value = { field, value: rows.values[row] ?? 0 };
      const last = lines.at(-1);
      if (last?.number === number) last.values.push(value);
      else
        lines.push({
          number,
          irn: parsed.irns[rows.irnIndexes[row] ?? 0] ?? '',
          atMs: rows.times[row] ?? 0,
          values: [value],
        });
    }
  return { lines, bad: parsed.badLines };
}

describe('a valid line', () => {
  const valid: [string, string, { field: FieldName; value: number }[]][] = [
    ['one field', `x,irn=${irn} bits_send=5 1000`, [{ field: 'bits_send', value: 5 }]],
    ['an integer', `x,irn=${irn} ifHCInOctets=18446744073i 1000`, [{ field: 'ifHCInOctets', value: 18446744073 }]],
    [
      'more digits than a double can hold',
      `x,irn=${irn} ifHCInOctets=5489503226426522317i 1000`,
      [{ field: 'ifHCInOctets', value: 5489503226426523000 }],
    ],
    ['an unsigned integer', `x,irn=${irn} ifHCInOctets=7u 1000`, [{ field: 'ifHCInOctets', value: 7 }]],
    ['an exponent', `x,irn=${irn} bits_send=1.5e+9 1000`, [{ field: 'bits_send', value: 1.5e9 }]],
    [
      'unknown fields',
      `x,irn=${irn} ifName="xe, 0=1",up=t,bits_send=1,last="a \\" b" 1000`,
      [{ field: 'bits_send', value: 1 }],
    ],
    [
      'other tags, escaped ones among them',
      `my\\ x\\,y,host=a\\ b,irn=${irn},z=1\\=2 latency=3 1000`,
      [{ field: 'latency', value: 3 }],
    ],
    ['a text with a line break', `x,irn=${irn} note="one\ntwo",jitter=2 1000`, [{ field: 'jitter', value: 2 }]],
    ['Windows line ends', `x,irn=${irn} jitter=2 1000\r`, [{ field: 'jitter', value: 2 }]],
  ];
  for (const [name, text, values] of valid)
    test(`with ${name} is accepted`, async () => {
      assert.deepEqual(await parse(text), { lines: [{ number: 1, irn, atMs: 1_000_000, values }], bad: [] });
    });

  test('without a timestamp gets the current time; comments and empty lines are ignored', async () => {
    const { lines, bad } = await parse(`# hello\n\nx,irn=${irn} latency=1\n   \n`);
    assert.deepEqual([lines.length, lines[0]?.atMs, lines[0]?.number, bad], [1, now, 3, []]);
  });

  test('is read in the requested precision, truncated to milliseconds', async () => {
    const at = Date.UTC(2026, 10, 14, 9, 30, 0, 123);
    for (const [precision, stamp] of [
      ['ns', `${at}456789`],
      ['n', `${at}000000`],
      ['u', `${at}999`],
      ['us', `${at}000`],
      ['ms', `${at}`],
    ] as const)
      assert.equal((await parse(`x,irn=${irn} latency=1 ${stamp}`, precision)).lines[0]?.atMs, at, precision);
    assert.equal((await parse(`x,irn=${irn} latency=1 2`, 'm')).lines[0]?.atMs, 120_000);
    assert.equal((await parse(`x,irn=${irn} latency=1 2`, 'h')).lines[0]?.atMs, 7_200_000);
  });
});

describe('a bad line is reported with a reason, and the others are accepted', () => {
  const invalid: [string, string, RegExp][] = [
    ['no tag irn', 'x,host=a latency=1', /no tag irn/],
    ['two tags irn', `x,irn=${irn},irn=${irn} latency=1`, /irn twice/],
    ['no measurement', `,irn=${irn} latency=1`, /no measurement/],
    ['a tag without a value', `x,irn=${irn},host= latency=1`, /tag without/],
    ['no fields', `x,irn=${irn}`, /no fields/],
    ['a field without a value', `x,irn=${irn} latency= 1`, /field without/],
    ['no known field', `x,irn=${irn} speed=1 1`, /none of the fields bits_send, /],
    ['a known field that is text', `x,irn=${irn} latency="1" 1`, /latency, which must be a number/],
    ['a known field that is a boolean', `x,irn=${irn} latency=true 1`, /must be a number/],
    ['a malformed number', `x,irn=${irn} latency=1e 1`, /must be a number/],
    ['a hexadecimal number', `x,irn=${irn} latency=0x10 1`, /must be a number/],
    ['an infinite number', `x,irn=${irn} latency=1e999 1`, /too large/],
    ['a negative rate', `x,irn=${irn} bits_send=-1 1`, /must not be negative/],
    ['a loss above 100 %', `x,irn=${irn} packet_loss=101 1`, /from 0 to 100/],
    ['an unknown status', `x,irn=${irn} bgp_status=4 1`, /0, 1, 2 or 3/],
    ['a fractional status', `x,irn=${irn} host_status=0.5 1`, /0, 1, 2 or 3/],
    ['a malformed timestamp', `x,irn=${irn} latency=1 yesterday`, /not a whole number from 0 on/],
    ['a timestamp out of range', `x,irn=${irn} latency=1 99999999999999`, /not from 1970-01-01 to 2262-01-01/],
    ['a string that does not end', `x,irn=${irn} note="a,latency=1 1`, /does not end/],
  ];
  for (const [name, text, reason] of invalid)
    test(name, async () => {
      const { lines, bad } = await parse(`y,irn=${irn} latency=7 1\n${text}\ny,irn=${irn} latency=8 2`);
      assert.deepEqual(
        lines.map(({ number }) => number),
        [1, 3],
      );
      assert.equal(bad.length, 1);
      assert.equal(bad[0]?.number, 2);
      assert.match(bad[0]?.reason ?? '', reason);
      assert.match(bad[0]?.reason ?? '', /^has .*[^.]$/);
    });
});

const word = fc.stringMatching(/^[A-Za-z0-9 ,=é]{1,12}$/);
const escaped = (text: string, set: RegExp) => text.replace(set, '\\$&');

test('the parser returns resource, values and time for any names of tags and measurements', async () => {
  await fc.assert(
    fc.asyncProperty(
      word,
      fc.array(fc.tuple(word, word), { maxLength: 3 }),
      fc.dictionary(
        fc.constantFrom(...(Object.keys(fields) as FieldName[])),
        fc.double({ min: 0, max: 3, noNaN: true }),
        {
          minKeys: 1,
        },
      ),
      fc.integer({ min: 0, max: 4_102_444_800 }),
      async (measurement, tags, values, at) => {
        const whole = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Math.floor(value)]));
        const others = tags
          .filter(([name]) => name !== 'irn')
          .map(([name, value]) => `,${escaped(name, /[,= ]/g)}=${escaped(value, /[,= ]/g)}`);
        const text = `${escaped(measurement, /[, ]/g)}${others.join('')},irn=${irn} ${Object.entries(whole)
          .map(([name, value]) => `${name}=${value}`)
          .join(',')} ${at}`;
        const { lines, bad } = await parse(text);
        assert.deepEqual(bad, []);
        assert.equal(lines[0]?.irn, irn);
        assert.equal(lines[0]?.atMs, at * 1000);
        assert.deepEqual(Object.fromEntries(lines[0]?.values.map(({ field, value }) => [field, value]) ?? []), whole);
      },
    ),
    { numRuns: 500 },
  );
});

test('no text makes the parser throw, and every line is either accepted or rejected', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: fc.constantFrom(...'x,= "\\\nirn1.-e#\r'), maxLength: 200 }), async (text) => {
      const { lines, bad } = await parse(text);
      const numbers = [...lines, ...bad].map(({ number }) => number);
      assert.equal(new Set(numbers).size, numbers.length);
    }),
    { numRuns: 2000 },
  );
});

test('the result of a line does not depend on the lines before it', async () => {
  // Keys, fields and timestamps that nearly equal those of the previous line, valid and invalid.
  const key = fc.constantFrom(
    `x,irn=${irn}`,
    `x,irn=${irn}a`,
    `y,irn=${irn}`,
    `x,irn=irn:b`,
    `x\\ ,irn=${irn}`,
    `x\\`,
    'x',
    'x,irn',
    `x,irn=${irn},a=b`,
  );
  const field = fc
    .tuple(
      fc.constantFrom('bits_send', 'bits_sen', 'bits_send2', 'latency', 'ifHCInOctets', 'other', 'bits\\_send', ''),
      fc.constantFrom(
        '1',
        '12',
        '3i',
        '4u',
        '5iu',
        '6.5',
        '-1',
        '1e3',
        '123456789012345',
        '1234567890123456',
        't',
        '"a b,c=1"',
        '"',
        '',
      ),
    )
    .map(([name, value]) => `${name}=${value}`);
  const fieldSet = fc.array(field, { minLength: 1, maxLength: 3 }).map((all) => all.join(','));
  const time = fc.constantFrom('', ' 1000', ' 1001', ' 1000 ', '  1000', ' x', ' -1', ' 100000000000');
  const line = fc.tuple(key, fc.constantFrom(' ', '  ', ''), fieldSet, time).map((parts) => parts.join(''));
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 12 }), async (lines) => {
      // A quote that does not end may include the next line, and is tested elsewhere.
      const whole = lines.filter((one) => (one.match(/"/g)?.length ?? 0) % 2 === 0);
      const together = await parse(whole.join('\n'));
      const alone = await Promise.all(whole.map((one) => parse(one)));
      const renumbered = <T extends { number: number }>(found: T[], index: number): T[] =>
        found.map((one) => ({ ...one, number: index + 1 }));
      assert.deepEqual(together, {
        lines: alone.flatMap(({ lines: found }, index) => renumbered(found, index)),
        bad: alone.flatMap(({ bad }, index) => renumbered(bad, index)),
      });
    }),
    { numRuns: 2000 },
  );
});

/** The longest CPU time between two turns of the event loop while the work goes on. */
async function longestHold(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = threadCpuMs();
  let isOver = false;
  const turn = (): void => {
    const current = threadCpuMs();
    longest = Math.max(longest, current - last);
    last = current;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isOver = true;
  return Math.max(longest, threadCpuMs() - last);
}

describe('parsing does not hold the event loop with', () => {
  const megabyte = 2 ** 20;
  const hostile: [string, string][] = [
    ['quotes that never end, on every line', `${'""\\\n'.repeat((10 * megabyte) / 4)}"`],
    ['one quote on every line', 'x,irn=a b="\n'.repeat((10 * megabyte) / 12)],
    ['lines without a space', 'a\n'.repeat((10 * megabyte) / 2)],
    ['backslashes', '\\'.repeat(10 * megabyte)],
    ['one line of commas', `x${','.repeat(10 * megabyte)}`],
    ['one line of fields', `x,irn=a ${'b=1,'.repeat((10 * megabyte) / 4)}c=1`],
    ['nothing but line breaks', '\n'.repeat(10 * megabyte)],
    ['as many values as fit', `x,irn=a ${Array(1000).fill('jitter=1').join(',')}\n`.repeat((10 * megabyte) / 9009)],
    [
      'a new resource in each line',
      Array.from({ length: 30_000 }, (_, n) => `${'x'.repeat(300)},irn=r${n} jitter=1`).join('\n'),
    ],
  ];
  for (const [name, text] of hostile)
    test(name, { timeout: 60_000 }, async () => {
      const longestMs = await longestHold(() => parseLines(text, 'ms', now));
      assert.ok(longestMs < 20, `the event loop was held for ${longestMs} ms`);
    });

  test('a line of more than 65,536 characters is rejected, and the next is accepted', async () => {
    const { lines, bad } = await parse(
      `x,irn=${irn} note="${'a'.repeat(70_000)}",latency=1 1\nx,irn=${irn} latency=2 1`,
    );
    assert.deepEqual([lines.length, lines[0]?.number, bad[0]?.number], [1, 2, 1]);
    assert.match(bad[0]?.reason ?? '', /has more than 65536 characters/);
  });

  test('resources beyond the limit are rejected, and the first are accepted', async () => {
    const text = Array.from({ length: 10_500 }, (_, index) => `x,irn=r${index} latency=1`).join('\n');
    const { irns, badLines, badLineCount } = await parseLines(text, 'ms', now);
    assert.deepEqual([irns.length, badLines.length, badLineCount, badLines[0]?.number], [10_000, 100, 500, 10_001]);
  });

  test('a timestamp outside the accepted range is rejected with both ends of the range', async () => {
    const accepted = { fromMs: now - 1000, toMs: now + 1000 };
    const read = (at: number) => parseLines(`x,irn=${irn} latency=1 ${at}`, 'ms', now, accepted);
    assert.deepEqual([(await read(now - 1000)).parts[0]?.count, (await read(now + 999)).parts[0]?.count], [1, 1]);
    for (const at of [now - 1001, now + 1000, 0, 9_214_646_399_999])
      assert.match((await read(at)).badLines[0]?.reason ?? '', /not from 2026-11-14 to 2026-11-14/);
    assert.match((await parse(`x,irn=${irn} latency=1 -1`, 'ns')).bad[0]?.reason ?? '', /from 0 on/);
  });

  test('no value is so large that a sum of them is none', async () => {
    assert.match((await parse(`x,irn=${irn} bits_send=1.7e308`)).bad[0]?.reason ?? '', /not be larger than/);
    assert.equal((await parse(`x,irn=${irn} ifHCInOctets=18446744073709551615u`)).lines.length, 1);
    assert.match((await parse(`x,irn=${irn} ifHCInOctets=1e30`)).bad[0]?.reason ?? '', /not be larger than/);
  });
});
