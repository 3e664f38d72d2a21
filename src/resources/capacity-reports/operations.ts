// What an organisation and everybody below it use, have allocated and have subscribed to in a region.

import { problem } from '../../errors/problems.ts';
import type { Backend } from '../../metrics/backend.ts';
import { meanUsage } from '../../metrics/queries.ts';
import { allTenants, asTenant, type Database, type Scope } from '../../store/database.ts';
import { subjectOfConnector } from '../metric-queries/operations.ts';
import { findRegion } from '../places/store.ts';
import {
  listReportedConnectors,
  listReportedGroups,
  listSubtree,
  type ReportedConnector,
  type ReportedGroup,
  type ReportedOrganisation,
} from './store.ts';

export interface ReportRows {
  region: string;
  organisations: ReportedOrganisation[];
  groups: ReportedGroup[];
  connectors: ReportedConnector[];
}

export async function readReport(database: Database, scope: Scope, slug: string): Promise<ReportRows> {
  const region = await findRegion(database, scope, slug);
  if (!region) throw problem('NotFound');
  return asTenant(database, scope, allTenants, async () => {
    const organisations = await listSubtree(database, allTenants, scope.organisationId, region.id);
    const ids = organisations.map(({ id }) => id);
    const groups = await listReportedGroups(database, allTenants, ids, region.id);
    const connectors = await listReportedConnectors(database, allTenants, ids, region.id);
    return { region: region.slug, organisations, groups, connectors };
  });
}

export interface Report {
  organizationID: string;
  name: string;
  regionalMetrics: { serviceRegion: string; allocated: number; subscribed: number; used: number }[];
  groups: {
    groupID: string;
    name: string;
    regionalMetrics: { serviceRegion: string; allocated: number; used: number }[];
  }[];
  childrenOrganizations: Report[];
}

export async function report(
  backend: Backend,
  { region, organisations, groups, connectors }: ReportRows,
  span: { startMs: number; endMs: number },
): Promise<Report> {
  const codes = new Map(organisations.map(({ id, code }) => [id, code]));
  const members = Map.groupBy(connectors, ({ group_id }) => group_id);
  const bundles = [...members].map(([id, rows]) => ({
    id,
    subjects: rows.map((row) => subjectOfConnector(row, codes.get(row.organisation_id) ?? '')),
  }));
  const used = await meanUsage(backend, bundles, span);
  const groupsOf = Map.groupBy(groups, ({ organisation_id }) => organisation_id);
  const reports = new Map<string, Report>();
  for (const { id, parent_id, name, subscribed_bps } of organisations) {
    const own = (groupsOf.get(id) ?? []).map((group) => ({
      groupID: group.id,
      name: group.name,
      regionalMetrics: [
        { serviceRegion: region, allocated: Number(group.allocated_bps), used: used.get(group.id) ?? 0 },
      ],
    }));
    const sum = (key: 'allocated' | 'used'): number =>
      own.reduce((total, { regionalMetrics }) => total + (regionalMetrics[0]?.[key] ?? 0), 0);
    const subscribed = Number(subscribed_bps);
    const made: Report = {
      organizationID: id,
      name,
      regionalMetrics: [{ serviceRegion: region, allocated: sum('allocated'), subscribed, used: sum('used') }],
      groups: own,
      childrenOrganizations: [],
    };
    reports.set(id, made);
    // Parents come first.
    if (parent_id) reports.get(parent_id)?.childrenOrganizations.push(made);
  }
  const [top] = reports.values();
  if (!top) throw problem('NotFound');
  return top;
}
