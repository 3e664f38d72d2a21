import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
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
function parse(text: string, precision: Parameters<typeof parseLines>[1] = 's') {
  const parsed = parseLines(text, precision, now);
  const lines: Line[] = [];
  for (let row = 0; row < parsed.count; row++) {
    const number = parsed.lineNumbers[row] ?? 0;
    const field = fieldNames[parsed.fieldIndexes[row] ?? 0] as FieldName;
    const value = { field, value: parsed.values[row] ?? 0 };
    const last = lines.at(-1);
    if (last?.number === number) last.values.push(value);
    else
      lines.push({
        number,
        irn: parsed.irns[parsed.irnIndexes[row] ?? 0] ?? '',
        atMs: parsed.times[row] ?? 0,
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
    test(`with ${name} is accepted`, () => {
      assert.deepEqual(parse(text), { lines: [{ number: 1, irn, atMs: 1_000_000, values }], bad: [] });
    });

  test('without a timestamp gets the current time; comments and empty lines are ignored', () => {
    const { lines, bad } = parse(`# hello\n\nx,irn=${irn} latency=1\n   \n`);
    assert.deepEqual([lines.length, lines[0]?.atMs, lines[0]?.number, bad], [1, now, 3, []]);
  });

  test('is read in the requested precision, truncated to milliseconds', () => {
    const at = Date.UTC(2026, 10, 14, 9, 30, 0, 123);
    for (const [precision, stamp] of [
      ['ns', `${at}456789`],
      ['n', `${at}000000`],
      ['u', `${at}999`],
      ['us', `${at}000`],
      ['ms', `${at}`],
    ] as const)
      assert.equal(parse(`x,irn=${irn} latency=1 ${stamp}`, precision).lines[0]?.atMs, at, precision);
    assert.equal(parse(`x,irn=${irn} latency=1 2`, 'm').lines[0]?.atMs, 120_000);
    assert.equal(parse(`x,irn=${irn} latency=1 2`, 'h').lines[0]?.atMs, 7_200_000);
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
    test(name, () => {
      const { lines, bad } = parse(`y,irn=${irn} latency=7 1\n${text}\ny,irn=${irn} latency=8 2`);
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

test('the parser returns resource, values and time for any names of tags and measurements', () => {
  fc.assert(
    fc.property(
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
      (measurement, tags, values, at) => {
        const whole = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Math.floor(value)]));
        const others = tags
          .filter(([name]) => name !== 'irn')
          .map(([name, value]) => `,${escaped(name, /[,= ]/g)}=${escaped(value, /[,= ]/g)}`);
        const text = `${escaped(measurement, /[, ]/g)}${others.join('')},irn=${irn} ${Object.entries(whole)
          .map(([name, value]) => `${name}=${value}`)
          .join(',')} ${at}`;
        const { lines, bad } = parse(text);
        assert.deepEqual(bad, []);
        assert.equal(lines[0]?.irn, irn);
        assert.equal(lines[0]?.atMs, at * 1000);
        assert.deepEqual(Object.fromEntries(lines[0]?.values.map(({ field, value }) => [field, value]) ?? []), whole);
      },
    ),
    { numRuns: 500 },
  );
});

test('no text makes the parser throw, and every line is either accepted or rejected', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'x,= "\\\nirn1.-e#\r'), maxLength: 200 }), (text) => {
      const { lines, bad } = parse(text);
      const numbers = [...lines, ...bad].map(({ number }) => number);
      assert.equal(new Set(numbers).size, numbers.length);
    }),
    { numRuns: 2000 },
  );
});

test('the result of a line does not depend on the lines before it', () => {
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
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 12 }), (lines) => {
      // A quote that does not end may include the next line, and is tested elsewhere.
      const whole = lines.filter((one) => (one.match(/"/g)?.length ?? 0) % 2 === 0);
      const together = parse(whole.join('\n'));
      const alone = whole.map((one) => parse(one));
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

describe('parsing takes linear time with', () => {
  const megabyte = 2 ** 20;
  const hostile: [string, string][] = [
    ['quotes that never end, on every line', `${'""\\\n'.repeat(megabyte / 4)}"`],
    ['one quote on every line', 'x,irn=a b="\n'.repeat(megabyte / 12)],
    ['lines without a space', 'a\n'.repeat(megabyte / 2)],
    ['backslashes', '\\'.repeat(megabyte)],
    ['one line of commas', `x${','.repeat(megabyte)}`],
    ['one line of fields', `x,irn=a ${'b=1,'.repeat(megabyte / 4)}c=1`],
    ['nothing but line breaks', '\n'.repeat(10 * megabyte)],
  ];
  for (const [name, text] of hostile)
    test(name, { timeout: 60_000 }, () => {
      const began = Date.now();
      parseLines(text, 'ms', now);
      assert.ok(Date.now() - began < 10_000);
    });

  test('resources beyond the limit are rejected, and the first are accepted', () => {
    const text = Array.from({ length: 10_500 }, (_, index) => `x,irn=r${index} latency=1`).join('\n');
    const { irns, badLines } = parseLines(text, 'ms', now);
    assert.deepEqual([irns.length, badLines.length, badLines[0]?.number], [10_000, 500, 10_001]);
  });

  test('a timestamp outside the accepted range is rejected with both ends of the range', () => {
    const accepted = { fromMs: now - 1000, toMs: now + 1000 };
    const read = (at: number) => parseLines(`x,irn=${irn} latency=1 ${at}`, 'ms', now, accepted);
    assert.deepEqual([read(now - 1000).count, read(now + 999).count], [1, 1]);
    for (const at of [now - 1001, now + 1000, 0, 9_214_646_399_999])
      assert.match(read(at).badLines[0]?.reason ?? '', /not from 2026-11-14 to 2026-11-14/);
    assert.match(parse(`x,irn=${irn} latency=1 -1`, 'ns').bad[0]?.reason ?? '', /from 0 on/);
  });

  test('no value is so large that a sum of them is none', () => {
    assert.match(parse(`x,irn=${irn} bits_send=1.7e308`).bad[0]?.reason ?? '', /not be larger than/);
    assert.equal(parse(`x,irn=${irn} ifHCInOctets=18446744073709551615u`).lines.length, 1);
    assert.match(parse(`x,irn=${irn} ifHCInOctets=1e30`).bad[0]?.reason ?? '', /not be larger than/);
  });
});
