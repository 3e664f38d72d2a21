// The regional report as rows in tree order.
import type { Schemas } from '@patchbay/client';
import type { Cell } from '../../components/csv.ts';

export type CapacityReport = Schemas['CapacityReport'];

export interface ReportRow {
  id: string;
  kind: 'Organisation' | 'Group';
  name: string;
  depth: number;
  used: number;
  allocated: number;
  /** Undefined for groups, which have allocations only. */
  subscribed: number | undefined;
}

const zero = { used: 0, allocated: 0, subscribed: 0 };

export function reportRows(report: CapacityReport, depth = 0): ReportRow[] {
  const { used, allocated, subscribed } = report.regionalMetrics[0] ?? zero;
  return [
    { id: report.organizationID, kind: 'Organisation', name: report.name, depth, used, allocated, subscribed },
    ...report.groups.map((group): ReportRow => {
      const figures = group.regionalMetrics[0] ?? zero;
      return {
        id: group.groupID,
        kind: 'Group',
        name: group.name,
        depth: depth + 1,
        used: figures.used,
        allocated: figures.allocated,
        subscribed: undefined,
      };
    }),
    ...report.childrenOrganizations.flatMap((child) => reportRows(child, depth + 1)),
  ];
}

export const csvRows = (rows: ReportRow[], region: string): Cell[][] => [
  ['Region', 'Kind', 'Name', 'Id', 'Used (bps)', 'Allocated (bps)', 'Subscribed (bps)'],
  ...rows.map(({ kind, name, id, used, allocated, subscribed }) => [
    region,
    kind,
    name,
    id,
    used,
    allocated,
    subscribed,
  ]),
];
