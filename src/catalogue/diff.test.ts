import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type CatalogueDiff,
  type Difference,
  diffCatalogues,
  refusalsOf,
  summaryOf,
  takesAway,
  type Uses,
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

/** What is there after a difference was carried out. */
function applied<Row>(current: Row[], { added, changed, removed }: Difference<Row>): Row[] {
  const after = new Map(changed.map((change) => [change.before, change.after]));
  return [...current.filter((row) => !removed.includes(row)).map((row) => after.get(row) ?? row), ...added];
}
// -0 and 0 are one number, here as in the database.
const asSet = (rows: object[]): string[] => rows.map((row) => JSON.stringify(row)).sort();

test('a plan that is carried out leads from one catalogue to the other, and touches nothing that is equal', () => {
  fc.assert(
    fc.property(catalogueArbitrary, catalogueArbitrary, (current, wanted) => {
      const plan = diffCatalogues(current, wanted);
      assert.deepEqual(asSet(applied(current.cities, plan.cities)), asSet(wanted.cities));
      assert.deepEqual(asSet(applied(current.destinations, plan.destinations)), asSet(wanted.destinations));
      assert.deepEqual(asSet(applied(current.models, plan.models)), asSet(wanted.models));
      const same = diffCatalogues(wanted, wanted);
      assert.deepEqual(summaryOf(same).changes, []);
      assert.equal(same.cities.unchanged, wanted.cities.length);
      assert.equal(takesAway(same), false);
    }),
  );
});

const nobody: Uses = { cities: new Map(), destinations: new Map(), models: new Map() };
const everybody = ({ cities, destinations, models }: Catalogue): Uses => ({
  cities: new Map(cities.map(({ locode }) => [locode, { appliances: 1, connectors: 2 }])),
  destinations: new Map(destinations.map((row) => [`${row.family}\n${row.cspCity}`, { appliances: 0, connectors: 1 }])),
  models: new Map(models.map(({ modelName }) => [modelName, { appliances: 3, connectors: 0 }])),
});

test('what is in use is refused when it goes or moves, and only then', () => {
  fc.assert(
    fc.property(catalogueArbitrary, catalogueArbitrary, (current, wanted) => {
      const plan: CatalogueDiff = diffCatalogues(current, wanted);
      const moved = plan.destinations.changed.filter(({ before, after }) => before.locode !== after.locode).length;
      const shifted = plan.cities.changed.filter(({ before, after }) => before.region !== after.region).length;
      const gone = plan.cities.removed.length + plan.destinations.removed.length + plan.models.removed.length;
      const refusals = refusalsOf(plan, everybody(current));
      assert.equal(refusals.length, gone + moved + shifted);
      assert.equal(takesAway(plan), refusals.length > 0);
      assert.deepEqual(refusalsOf(plan, nobody), []);
    }),
  );
});

test('refusals and summaries are sentences', () => {
  const [city, destination, model] = [cityArbitrary, destinationArbitrary, modelArbitrary].map(
    (arbitrary) => fc.sample(arbitrary as fc.Arbitrary<object>, { numRuns: 1, seed: 1 })[0],
  ) as [City, Destination, Model];
  const current = {
    cities: [{ ...city, locode: 'NLAMS', region: 'europe' }],
    destinations: [{ ...destination, family: 'providerA', cspCity: 'X', locode: 'NLAMS' }],
    models: [{ ...model, modelName: 'M' }],
  };
  const wanted = {
    cities: [{ ...city, locode: 'NLAMS', region: 'japan' }],
    destinations: [{ ...destination, family: 'providerA', cspCity: 'X', locode: 'DEFRA' }],
    models: [{ ...model, modelName: 'N' }],
  };
  const plan = diffCatalogues(current, wanted);
  assert.deepEqual(refusalsOf(plan, everybody(current)), [
    'The city NLAMS cannot change its region from europe to japan: 1 appliance and 2 connectors use it.',
    'The destination providerA X cannot move from NLAMS to DEFRA: 1 connector uses it.',
    'The model M cannot be removed: 3 appliances use it.',
  ]);
  assert.deepEqual(summaryOf(plan), {
    numbers: [
      'cities        0 added, 1 changed, 0 removed, 0 unchanged',
      'destinations  0 added, 1 changed, 0 removed, 0 unchanged',
      'models        1 added, 0 changed, 1 removed, 0 unchanged',
    ],
    changes: ['  ~ city NLAMS: region', '  ~ destination providerA X: locode', '  + model N', '  - model M'],
  });
});
