import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type CatalogueDiff,
  type CatalogueUsage,
  type Difference,
  diffCatalogues,
  removesOrMoves,
  summarizeDiff,
  usageConflicts,
} from './diff.ts';
import type { Catalogue, City, Destination, Model } from './format.ts';

const cityArbitrary: fc.Arbitrary<City> = fc.record({
  locode: fc.constantFrom('NLAMS', 'DEFRA', 'JPTYO'),
  name: fc.constantFrom('A', 'B'),
  country: fc.constant('C'),
  state: fc.constantFrom(null, 'S'),
  zipcode: fc.constant(1),
  slacity: fc.constant('s'),
  region: fc.constantFrom('europe', 'japan'),
  latitude: fc.constantFrom(0, -0, 1),
  longitude: fc.constant(1),
  edgeCode: fc.constantFrom('E1', 'E2'),
});
const destinationArbitrary: fc.Arbitrary<Destination> = fc.record({
  family: fc.constantFrom('providerA', 'providerB'),
  cspCity: fc.constantFrom('X', 'Y'),
  locode: fc.constantFrom('NLAMS', 'DEFRA'),
  edgeCode: fc.constantFrom('E1', 'E2'),
});
const modelArbitrary: fc.Arbitrary<Model> = fc.record({
  modelName: fc.constantFrom('M', 'N'),
  vendor: fc.constantFrom('V', 'W'),
  type: fc.constant('router'),
  maxCapacity: fc.constant('1Gbps'),
  connectorsNumber: fc.constant(1),
  dualPowered: fc.boolean(),
  flowtypes: fc.constant('l3'),
  uplinkMedia: fc.constant('u'),
});
const catalogueArbitrary: fc.Arbitrary<Catalogue> = fc.record({
  cities: fc.uniqueArray(cityArbitrary, { selector: ({ locode }) => locode }),
  destinations: fc.uniqueArray(destinationArbitrary, { selector: ({ family, cspCity }) => `${family} ${cspCity}` }),
  models: fc.uniqueArray(modelArbitrary, { selector: ({ modelName }) => modelName }),
});

/** The rows after the difference is applied. */
function apply<Row>(current: Row[], { added, changed, removed }: Difference<Row>): Row[] {
  const after = new Map(changed.map((change) => [change.before, change.after]));
  return [...current.filter((row) => !removed.includes(row)).map((row) => after.get(row) ?? row), ...added];
}
// JSON writes -0 as 0, as the database does.
const asSet = (rows: object[]): string[] => rows.map((row) => JSON.stringify(row)).sort();

test('applying a diff turns one catalogue into the other and leaves equal records alone', () => {
  fc.assert(
    fc.property(catalogueArbitrary, catalogueArbitrary, (current, desired) => {
      const diff = diffCatalogues(current, desired);
      assert.deepEqual(asSet(apply(current.cities, diff.cities)), asSet(desired.cities));
      assert.deepEqual(asSet(apply(current.destinations, diff.destinations)), asSet(desired.destinations));
      assert.deepEqual(asSet(apply(current.models, diff.models)), asSet(desired.models));
      const same = diffCatalogues(desired, desired);
      assert.deepEqual(summarizeDiff(same).changes, []);
      assert.equal(same.cities.unchanged, desired.cities.length);
      assert.equal(removesOrMoves(same), false);
    }),
  );
});

const unused: CatalogueUsage = { cities: new Map(), destinations: new Map(), models: new Map() };
const allInUse = ({ cities, destinations, models }: Catalogue): CatalogueUsage => ({
  cities: new Map(cities.map(({ locode }) => [locode, { appliances: 1, connectors: 2 }])),
  destinations: new Map(destinations.map((row) => [`${row.family}\n${row.cspCity}`, { appliances: 0, connectors: 1 }])),
  models: new Map(models.map(({ modelName }) => [modelName, { appliances: 3, connectors: 0 }])),
});

test('records in use conflict when they are removed or moved, and only then', () => {
  fc.assert(
    fc.property(catalogueArbitrary, catalogueArbitrary, (current, desired) => {
      const diff: CatalogueDiff = diffCatalogues(current, desired);
      const moved = diff.destinations.changed.filter(({ before, after }) => before.locode !== after.locode).length;
      const changedRegion = diff.cities.changed.filter(({ before, after }) => before.region !== after.region).length;
      const removed = diff.cities.removed.length + diff.destinations.removed.length + diff.models.removed.length;
      const conflicts = usageConflicts(diff, allInUse(current));
      assert.equal(conflicts.length, removed + moved + changedRegion);
      assert.equal(removesOrMoves(diff), conflicts.length > 0);
      assert.deepEqual(usageConflicts(diff, unused), []);
    }),
  );
});

test('conflicts and summaries are readable', () => {
  const [city, destination, model] = [cityArbitrary, destinationArbitrary, modelArbitrary].map(
    (arbitrary) => fc.sample(arbitrary as fc.Arbitrary<object>, { numRuns: 1, seed: 1 })[0],
  ) as [City, Destination, Model];
  const current = {
    cities: [{ ...city, locode: 'NLAMS', region: 'europe' }],
    destinations: [{ ...destination, family: 'providerA', cspCity: 'X', locode: 'NLAMS' }],
    models: [{ ...model, modelName: 'M' }],
  };
  const desired = {
    cities: [{ ...city, locode: 'NLAMS', region: 'japan' }],
    destinations: [{ ...destination, family: 'providerA', cspCity: 'X', locode: 'DEFRA' }],
    models: [{ ...model, modelName: 'N' }],
  };
  const diff = diffCatalogues(current, desired);
  assert.deepEqual(usageConflicts(diff, allInUse(current)), [
    'The city NLAMS cannot change its region from europe to japan: 1 appliance and 2 connectors use it.',
    'The destination providerA X cannot move from NLAMS to DEFRA: 1 connector uses it.',
    'The model M cannot be removed: 3 appliances use it.',
  ]);
  assert.deepEqual(summarizeDiff(diff), {
    counts: [
      'cities        0 added, 1 changed, 0 removed, 0 unchanged',
      'destinations  0 added, 1 changed, 0 removed, 0 unchanged',
      'models        1 added, 0 changed, 1 removed, 0 unchanged',
    ],
    changes: ['  ~ city NLAMS: region', '  ~ destination providerA X: locode', '  + model N', '  - model M'],
  });
});
