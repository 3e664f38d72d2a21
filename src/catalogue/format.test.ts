import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Catalogue, formatCatalogue, parseCatalogue, validateCatalogue } from './format.ts';

const known = { regions: ['europe', 'japan'], families: ['providerA', 'providerB'] };
const amsterdam = {
  locode: 'NLAMS',
  name: 'Amsterdam',
  country: 'Netherlands',
  state: null,
  zipcode: 1012,
  slacity: 'amsterdam',
  region: 'europe',
  latitude: 52.37,
  longitude: 4.9,
  edgeCode: 'AMS1',
};
const tokyo = { ...amsterdam, locode: 'JPTYO', name: 'Tokyo', slacity: 'tokyo', region: 'japan', edgeCode: 'NRT1' };
const toAmsterdam = { family: 'providerA', cspCity: 'Amsterdam', locode: 'NLAMS', edgeCode: 'AMS2' };
const router = {
  modelName: 'CV-1100',
  vendor: 'Corvane Networks',
  type: 'router',
  maxCapacity: '500Mbps',
  connectorsNumber: 8,
  dualPowered: false,
  flowtypes: 'l3',
  uplinkMedia: '1000BASE-LX',
};
const small: Catalogue = { cities: [amsterdam, tokyo], destinations: [toAmsterdam], models: [router] };

function violationsOf(given: unknown): string[] {
  const checked = validateCatalogue(given, known);
  return 'violations' in checked ? checked.violations : [];
}

test('a valid file is accepted; a missing state becomes null', () => {
  assert.deepEqual(validateCatalogue(small, known), { catalogue: small });
  const { state: _, ...stateless } = amsterdam;
  assert.deepEqual(validateCatalogue({ ...small, cities: [stateless, tokyo] }, known), { catalogue: small });
  assert.deepEqual(violationsOf({ cities: [], destinations: [], models: [] }), []);
});

const inCity = (change: object): object => ({ ...small, cities: [{ ...amsterdam, ...change }, tokyo] });
const inDestination = (change: object): object => ({ ...small, destinations: [{ ...toAmsterdam, ...change }] });
const inModel = (change: object): object => ({ ...small, models: [{ ...router, ...change }] });
const moreCities = (change: object): object => ({ ...small, cities: [amsterdam, tokyo, { ...amsterdam, ...change }] });
const other = { locode: 'DEFRA', slacity: 'frankfurt', edgeCode: 'FRA1' };

// Each invalid file has exactly this one violation.
const invalidFiles: [name: string, file: unknown, violation: RegExp][] = [
  ['no object', [], /^The file must be an object with the lists cities, destinations and models, not \[\]$/],
  ['nothing', null, /^The file must be an object .*, not null$/],
  ['no models', { cities: small.cities, destinations: [] }, /^models is missing$/],
  ['an unknown list', { ...small, regions: [] }, /^regions is not known$/],
  ['a list that is none', { ...small, models: {} }, /^models must be a list, not \{\}$/],
  ['no list of cities', { ...small, cities: 7 }, /^cities must be a list, not 7$/],
  ['a city that is none', { ...small, cities: [amsterdam, tokyo, 'x'] }, /^cities\[2\] must be an object, not "x"$/],
  ['an unknown key', inCity({ planet: 'Earth' }), /^cities\[0\]\.planet is not known$/],
  ['a key that imitates', JSON.parse('{"cities":[],"destinations":[],"models":[],"__proto__":{}}'), /^__proto__ is/],
  ['a key for terminals', inCity({ '\u001b[2J': 1 }), /^cities\[0\]\["\\u001b\[2J"\] is not known$/],
  ['a missing key', inModel({ vendor: undefined }), /^models\[0\]\.vendor is missing$/],
  ['a locode in small letters', moreCities({ ...other, locode: 'defra' }), /^cities\[2\]\.locode must be a UN\/LOCODE/],
  ['a name with a line break', inCity({ name: 'Ams\nterdam' }), /^cities\[0\]\.name must be one line/],
  ['a name that turns text round', inCity({ name: 'Ams\u202eterdam' }), /not "Ams\\u202eterdam"$/],
  ['half a character', inCity({ name: 'Ams\ud800' }), /^cities\[0\]\.name must be one line/],
  ['a space at the end', inDestination({ cspCity: 'Amsterdam ' }), /^destinations\[0\]\.cspCity must be one line/],
  ['an empty state', inCity({ state: '' }), /^cities\[0\]\.state must be one line of text .*, or null, not ""$/],
  ['a zipcode as text', inCity({ zipcode: '1012' }), /^cities\[0\]\.zipcode must be a whole number .*, not "1012"$/],
  ['a zipcode too large', inCity({ zipcode: 2 ** 31 }), /^cities\[0\]\.zipcode must be a whole number/],
  ['a slacity with a space', inCity({ slacity: 'the hague' }), /^cities\[0\]\.slacity must be small letters/],
  [
    'an unknown region',
    inCity({ region: 'africa' }),
    /^cities\[0\]\.region must be one of europe, japan, not "africa"$/,
  ],
  [
    'a latitude beyond',
    inCity({ latitude: 90.01 }),
    /^cities\[0\]\.latitude must be a number from -90 to 90, not 90.01$/,
  ],
  ['a longitude beyond', inCity({ longitude: -181 }), /^cities\[0\]\.longitude must be a number from -180 to 180/],
  ['an edge with a space', inCity({ edgeCode: 'AMS 1' }), /^cities\[0\]\.edgeCode must be 1 to 32 letters/],
  ['a locode twice', moreCities({ ...other, locode: 'NLAMS' }), /^cities\[2\]\.locode is the same as in cities\[0\]/],
  [
    'a slacity twice',
    moreCities({ ...other, slacity: 'tokyo' }),
    /^cities\[2\]\.slacity is the same as in cities\[1\]/,
  ],
  ['an edge twice', moreCities({ ...other, edgeCode: 'AMS1' }), /^cities\[2\]\.edgeCode is the same as in cities\[0\]/],
  ['an unknown family', inDestination({ family: 'providerX' }), /^destinations\[0\]\.family must be one of providerA/],
  [
    'a city that is not there',
    inDestination({ locode: 'DEFRA' }),
    /^destinations\[0\]\.locode must be the locode of a/,
  ],
  [
    'a destination twice',
    { ...small, destinations: [toAmsterdam, { ...toAmsterdam, locode: 'JPTYO' }] },
    /^destinations\[1\]\.cspCity is the same as in destinations\[0\]: family and cspCity must be unique together$/,
  ],
  ['no speed', inModel({ maxCapacity: 'fast' }), /^models\[0\]\.maxCapacity must be a speed such as 500Mbps or 10Gbps/],
  ['a speed in code', inModel({ maxCapacity: 'BPS_1G' }), /^models\[0\]\.maxCapacity must be a speed/],
  ['no connectors', inModel({ connectorsNumber: 0 }), /^models\[0\]\.connectorsNumber must be a whole number from 1/],
  ['half powered', inModel({ dualPowered: 'yes' }), /^models\[0\]\.dualPowered must be true or false, not "yes"$/],
  ['a model twice', { ...small, models: [router, { ...router, type: 'x' }] }, /^models\[1\]\.modelName is the same/],
];
for (const [name, file, violation] of invalidFiles)
  test(`an invalid file is rejected: ${name}`, () => {
    // The JSON round trip drops undefined values, as a file would.
    const violations = violationsOf(JSON.parse(JSON.stringify(file)));
    assert.equal(violations.length, 1, violations.join('\n'));
    assert.match(violations[0] ?? '', violation);
  });

test('every path is reported once, sorted by path', () => {
  const cities = Array.from({ length: 12 }, (_, index) => ({ ...amsterdam, slacity: `city-${index}` }));
  cities[10] = { ...amsterdam, slacity: 'city-10', latitude: 100, region: '' };
  const violations = violationsOf({ cities, destinations: [{ locode: 'DEFRA' }], models: 1 });
  const paths = violations.map((violation) => violation.split(' ')[0]);
  const repeats = Array.from({ length: 11 }, (_, index) => [
    `cities[${index + 1}].edgeCode`,
    `cities[${index + 1}].locode`,
  ]);
  repeats[9]?.splice(1, 0, 'cities[10].latitude');
  repeats[9]?.push('cities[10].region');
  assert.deepEqual(paths, [
    ...repeats.flat(),
    'destinations[0].cspCity',
    'destinations[0].edgeCode',
    'destinations[0].family',
    'destinations[0].locode',
    'models',
  ]);
});

const word = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }).map((text) => `a${text}z`);
const cityArbitrary = fc.record({
  locode: fc.stringMatching(/^[A-Z]{2}[A-Z2-9]{3}$/),
  name: word,
  country: word,
  state: fc.option(word),
  zipcode: fc.nat(),
  slacity: fc.stringMatching(/^[a-z0-9]{1,8}(-[a-z0-9]{1,8})?$/),
  region: fc.constantFrom(...known.regions),
  latitude: fc.double({ min: -90, max: 90, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
  edgeCode: fc.stringMatching(/^[A-Z0-9]{1,8}$/),
});

test('an accepted catalogue survives writing and reading, in a fixed order', () => {
  let accepted = 0;
  fc.assert(
    fc.property(fc.uniqueArray(cityArbitrary, { selector: ({ locode }) => locode, maxLength: 4 }), (cities) => {
      const checked = validateCatalogue({ cities, destinations: [], models: [router] }, known);
      if ('violations' in checked) return;
      accepted++;
      const written = formatCatalogue(checked.catalogue);
      assert.equal(formatCatalogue({ ...checked.catalogue, cities: checked.catalogue.cities.toReversed() }), written);
      const read = parseCatalogue(Buffer.from(written));
      const again = validateCatalogue('value' in read ? read.value : undefined, known);
      assert.ok('catalogue' in again);
      assert.equal(formatCatalogue(again.catalogue), written);
    }),
  );
  assert.ok(accepted > 10, `only ${accepted} files were valid`);
});

test('validation never throws, and every violation has a path', () => {
  const rows = fc.array(fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue())));
  const files = fc.oneof(fc.jsonValue(), fc.record({ cities: rows, destinations: rows, models: rows }));
  fc.assert(
    fc.property(files, (given) => {
      for (const violation of violationsOf(given)) {
        assert.match(
          violation,
          /^(The file|cities|destinations|models|\w+|\[.+\])\S* .*(is missing|is not known|must be)/s,
        );
        assert.doesNotMatch(violation, /[\u0000-\u001f\u007f-\u009f]/);
      }
    }),
  );
});

test('a file is UTF-8 and JSON, with or without a byte order mark', () => {
  assert.deepEqual(parseCatalogue(Buffer.from('\ufeff{}')), { value: {} });
  assert.deepEqual(parseCatalogue(Buffer.from([0x22, 0xff, 0x22])), { error: 'is not text in UTF-8' });
  for (const text of ['', '{', '{"cities": [}', 'cities:'])
    assert.match(JSON.stringify(parseCatalogue(Buffer.from(text))), /is not valid JSON/);
});

test('the example in the documentation is valid', async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/catalogue.md'), 'utf8');
  const [, example = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
  assert.deepEqual(violationsOf(JSON.parse(example)), []);
});
