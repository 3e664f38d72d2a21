// The difference between two catalogues, and the conflicts with records in use that forbid applying it.
import { type Catalogue, recordKey, type Section, sections } from './format.ts';

export interface Difference<Row> {
  added: Row[];
  changed: { before: Row; after: Row }[];
  removed: Row[];
  unchanged: number;
}

export type CatalogueDiff = { [S in Section]: Difference<Catalogue[S][number]> };

/** Compares with ===, so 0 equals -0, as in the database. */
function differingFields<Row extends object>(before: Row, after: Row): string[] {
  const fields = Object.keys(before) as (keyof Row & string)[];
  return fields.filter((field) => before[field] !== after[field]);
}

function diffSection<Row extends object>(key: (row: Row) => string, current: Row[], desired: Row[]): Difference<Row> {
  const remaining = new Map(current.map((row) => [key(row), row]));
  const result: Difference<Row> = { added: [], changed: [], removed: [], unchanged: 0 };
  for (const after of desired) {
    const before = remaining.get(key(after));
    remaining.delete(key(after));
    if (!before) result.added.push(after);
    else if (differingFields(before, after).length) result.changed.push({ before, after });
    else result.unchanged++;
  }
  return { ...result, removed: [...remaining.values()] };
}

export const diffCatalogues = (current: Catalogue, desired: Catalogue): CatalogueDiff => ({
  cities: diffSection(recordKey.cities, current.cities, desired.cities),
  destinations: diffSection(recordKey.destinations, current.destinations, desired.destinations),
  models: diffSection(recordKey.models, current.models, desired.models),
});

/** How many tenant records refer to a catalogue record. */
export interface UsageCount {
  appliances: number;
  connectors: number;
}
/** By record key, without unused records. */
export type CatalogueUsage = Record<Section, Map<string, UsageCount>>;

const singular: Record<Section, string> = { cities: 'city', destinations: 'destination', models: 'model' };
const labelOf = (section: Section, key: string): string => `${singular[section]} ${key.replace('\n', ' ')}`;

function describeUsage({ appliances, connectors }: UsageCount): string {
  const count = (number: number, noun: string) => (number ? [`${number} ${noun}${number === 1 ? '' : 's'}`] : []);
  const parts = [...count(appliances, 'appliance'), ...count(connectors, 'connector')];
  return `${parts.join(' and ')} ${appliances + connectors === 1 ? 'uses' : 'use'} it`;
}

const movedCities = ({ cities }: CatalogueDiff) =>
  cities.changed.filter(({ before, after }) => before.region !== after.region);
const movedDestinations = ({ destinations }: CatalogueDiff) =>
  destinations.changed.filter(({ before, after }) => before.locode !== after.locode);

/** Whether the diff can conflict with records in use. */
export const removesOrMoves = (diff: CatalogueDiff): boolean =>
  sections.some((section) => diff[section].removed.length > 0) ||
  movedCities(diff).length > 0 ||
  movedDestinations(diff).length > 0;

/** One sentence for each removal or move of a record in use. */
export function usageConflicts(diff: CatalogueDiff, usage: CatalogueUsage): string[] {
  const conflict = (section: Section, key: string, what: string): string[] => {
    const usageCount = usage[section].get(key);
    return usageCount ? [`The ${labelOf(section, key)} cannot ${what}: ${describeUsage(usageCount)}.`] : [];
  };
  return [
    ...diff.cities.removed.flatMap((row) => conflict('cities', recordKey.cities(row), 'be removed')),
    ...movedCities(diff).flatMap(({ before, after }) =>
      conflict('cities', recordKey.cities(before), `change its region from ${before.region} to ${after.region}`),
    ),
    ...diff.destinations.removed.flatMap((row) => conflict('destinations', recordKey.destinations(row), 'be removed')),
    ...movedDestinations(diff).flatMap(({ before, after }) =>
      conflict('destinations', recordKey.destinations(before), `move from ${before.locode} to ${after.locode}`),
    ),
    ...diff.models.removed.flatMap((row) => conflict('models', recordKey.models(row), 'be removed')),
  ];
}

function changeLines<S extends Section>(diff: CatalogueDiff, section: S): string[] {
  const { added, changed, removed } = diff[section] as Difference<Catalogue[S][number]>;
  const label = (row: Catalogue[S][number]): string => labelOf(section, recordKey[section](row));
  return [
    ...added.map((row) => `  + ${label(row)}`),
    ...changed.map(({ before, after }) => `  ~ ${label(after)}: ${differingFields(before, after).join(', ')}`),
    ...removed.map((row) => `  - ${label(row)}`),
  ];
}

const maxLines = 50;

export const truncateLines = (lines: string[]): string[] =>
  lines.length > maxLines ? [...lines.slice(0, maxLines - 1), `… and ${lines.length - maxLines + 1} more`] : lines;

/** The counts of each section, and one line per change. */
export function summarizeDiff(diff: CatalogueDiff): { counts: string[]; changes: string[] } {
  const counts = sections.map((section) => {
    const { added, changed, removed, unchanged } = diff[section];
    const sizes = `${added.length} added, ${changed.length} changed, ${removed.length} removed`;
    return `${section.padEnd(14)}${sizes}, ${unchanged} unchanged`;
  });
  return { counts, changes: sections.flatMap((section) => changeLines(diff, section)) };
}
