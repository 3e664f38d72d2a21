// What replacing one catalogue by another means: what comes, changes and goes, and what of that is refused because it is in use.
import { type Catalogue, keyOf, type Section, sections } from './format.ts';

export interface Difference<Row> {
  added: Row[];
  changed: { before: Row; after: Row }[];
  removed: Row[];
  unchanged: number;
}

export type CatalogueDiff = { [S in Section]: Difference<Catalogue[S][number]> };

/** The fields in which two records differ. Numbers are compared as numbers: the database makes no difference between 0 and -0. */
function differingFields<Row extends object>(before: Row, after: Row): string[] {
  const fields = Object.keys(before) as (keyof Row & string)[];
  return fields.filter((field) => before[field] !== after[field]);
}

function difference<Row extends object>(key: (row: Row) => string, current: Row[], wanted: Row[]): Difference<Row> {
  const rest = new Map(current.map((row) => [key(row), row]));
  const found: Difference<Row> = { added: [], changed: [], removed: [], unchanged: 0 };
  for (const after of wanted) {
    const before = rest.get(key(after));
    rest.delete(key(after));
    if (!before) found.added.push(after);
    else if (differingFields(before, after).length) found.changed.push({ before, after });
    else found.unchanged++;
  }
  return { ...found, removed: [...rest.values()] };
}

export const diffCatalogues = (current: Catalogue, wanted: Catalogue): CatalogueDiff => ({
  cities: difference(keyOf.cities, current.cities, wanted.cities),
  destinations: difference(keyOf.destinations, current.destinations, wanted.destinations),
  models: difference(keyOf.models, current.models, wanted.models),
});

/** How many records of tenants stand on a record of the catalogue. */
export interface Use {
  appliances: number;
  connectors: number;
}
/** By the keys of the records; what nobody uses is not there. */
export type Uses = Record<Section, Map<string, Use>>;

const nouns: Record<Section, string> = { cities: 'city', destinations: 'destination', models: 'model' };
const labelOf = (section: Section, key: string): string => `${nouns[section]} ${key.replace('\n', ' ')}`;

function told({ appliances, connectors }: Use): string {
  const count = (number: number, noun: string) => (number ? [`${number} ${noun}${number === 1 ? '' : 's'}`] : []);
  const parts = [...count(appliances, 'appliance'), ...count(connectors, 'connector')];
  return `${parts.join(' and ')} ${appliances + connectors === 1 ? 'uses' : 'use'} it`;
}

const movedCities = ({ cities }: CatalogueDiff) =>
  cities.changed.filter(({ before, after }) => before.region !== after.region);
const movedDestinations = ({ destinations }: CatalogueDiff) =>
  destinations.changed.filter(({ before, after }) => before.locode !== after.locode);

/** Does anything go or move, so that it matters who uses what? */
export const takesAway = (plan: CatalogueDiff): boolean =>
  sections.some((section) => plan[section].removed.length > 0) ||
  movedCities(plan).length > 0 ||
  movedDestinations(plan).length > 0;

/** Everything that cannot be done because tenants' records stand on it. */
export function refusalsOf(plan: CatalogueDiff, uses: Uses): string[] {
  const refuse = (section: Section, key: string, what: string): string[] => {
    const use = uses[section].get(key);
    return use ? [`The ${labelOf(section, key)} cannot ${what}: ${told(use)}.`] : [];
  };
  return [
    ...plan.cities.removed.flatMap((row) => refuse('cities', keyOf.cities(row), 'be removed')),
    ...movedCities(plan).flatMap(({ before, after }) =>
      refuse('cities', keyOf.cities(before), `change its region from ${before.region} to ${after.region}`),
    ),
    ...plan.destinations.removed.flatMap((row) => refuse('destinations', keyOf.destinations(row), 'be removed')),
    ...movedDestinations(plan).flatMap(({ before, after }) =>
      refuse('destinations', keyOf.destinations(before), `move from ${before.locode} to ${after.locode}`),
    ),
    ...plan.models.removed.flatMap((row) => refuse('models', keyOf.models(row), 'be removed')),
  ];
}

function changesOf<S extends Section>(plan: CatalogueDiff, section: S): string[] {
  const { added, changed, removed } = plan[section] as Difference<Catalogue[S][number]>;
  const label = (row: Catalogue[S][number]): string => labelOf(section, keyOf[section](row));
  return [
    ...added.map((row) => `  + ${label(row)}`),
    ...changed.map(({ before, after }) => `  ~ ${label(after)}: ${differingFields(before, after).join(', ')}`),
    ...removed.map((row) => `  - ${label(row)}`),
  ];
}

const mostLines = 50;

/** As much as a person reads, and how much more there is. */
export const fewLines = (lines: string[]): string[] =>
  lines.length > mostLines ? [...lines.slice(0, mostLines - 1), `… and ${lines.length - mostLines + 1} more`] : lines;

/** The numbers of each kind, then each change by name. */
export function summaryOf(plan: CatalogueDiff): { numbers: string[]; changes: string[] } {
  const numbers = sections.map((section) => {
    const { added, changed, removed, unchanged } = plan[section];
    const counts = `${added.length} added, ${changed.length} changed, ${removed.length} removed, ${unchanged} unchanged`;
    return `${section.padEnd(14)}${counts}`;
  });
  return { numbers, changes: sections.flatMap((section) => changesOf(plan, section)) };
}
