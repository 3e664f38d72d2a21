// Columns that several lists have.
import type { Column } from './ServerTable.tsx';
import { StateBadge } from './StatusBadges.tsx';
import { Tags } from './Tags.tsx';

export const tagsColumn: Column<{ tagIds?: string[] | null }> = {
  id: 'tags',
  title: 'Tags',
  cell: ({ tagIds }) => <Tags ids={tagIds} />,
  csv: ({ tagIds }) => tagIds?.join(' '),
};

export const stateColumn: Column<{ state: string }> = {
  id: 'state',
  title: 'State',
  sort: 'state',
  cell: ({ state }) => <StateBadge state={state} />,
  csv: ({ state }) => state,
};

export const irnColumn: Column<{ irn: string }> = {
  id: 'irn',
  title: 'IRN',
  isExtra: true,
  cell: ({ irn }) => <span className="mono">{irn}</span>,
  csv: ({ irn }) => irn,
};
