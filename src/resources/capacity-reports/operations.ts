// Builds the report of used, allocated and subscribed capacity of an organisation subtree in a region.
import { problem } from '../../errors/problems.ts';
import type { Backend } from '../../metrics/backend.ts';
import { queryMeanUsage } from '../../metrics/queries.ts';
import type { TimeRange } from '../../metrics/time-range.ts';
import { allTenants, asTenant, type Database, type Scope } from '../../store/database.ts';
import { toConnectorSubject } from '../metrics/to-subject.ts';
import { findRegion } from '../places/store.ts';
import {
  listOrganisationSubtree,
  listReportedConnectors,
  listReportedGroups,
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

export async function readReportRows(database: Database, scope: Scope, slug: string): Promise<ReportRows> {
  const region = await findRegion(database, scope, slug);
  if (!region) throw problem('NotFound');
  return asTenant(database, scope, allTenants, async () => {
    const organisations = await listOrganisationSubtree(database, allTenants, scope.organisationId, region.id);
    const ids = organisations.map(({ id }) => id);
    const groups = await listReportedGroups(database, allTenants, ids, region.id);
    const connectors = await listReportedConnectors(database, allTenants, ids, region.id);
    return { region: region.slug, organisations, groups, connectors };
  });
}

export interface CapacityReport {
  organizationID: string;
  name: string;
  regionalMetrics: { serviceRegion: string; allocated: number; subscribed: number; used: number }[];
  groups: {
    groupID: string;
    name: string;
    regionalMetrics: { serviceRegion: string; allocated: number; used: number }[];
  }[];
  childrenOrganizations: CapacityReport[];
}

export async function buildReport(
  backend: Backend,
  { region, organisations, groups, connectors }: ReportRows,
  range: TimeRange,
): Promise<CapacityReport> {
  const codes = new Map(organisations.map(({ id, code }) => [id, code]));
  const connectorsByGroup = Map.groupBy(connectors, ({ group_id }) => group_id);
  const connectorSets = [...connectorsByGroup].map(([id, rows]) => ({
    id,
    subjects: rows.map((row) => toConnectorSubject(row, codes.get(row.organisation_id) ?? '')),
  }));
  const used = await queryMeanUsage(backend, connectorSets, range);
  const groupsByOrganisation = Map.groupBy(groups, ({ organisation_id }) => organisation_id);
  const reports = new Map<string, CapacityReport>();
  for (const { id, parent_id, name, subscribed_bps } of organisations) {
    const groupReports = (groupsByOrganisation.get(id) ?? []).map((group) => ({
      groupID: group.id,
      name: group.name,
      regionalMetrics: [
        { serviceRegion: region, allocated: Number(group.allocated_bps), used: used.get(group.id) ?? 0 },
      ],
    }));
    const sum = (key: 'allocated' | 'used'): number =>
      groupReports.reduce((total, { regionalMetrics }) => total + (regionalMetrics[0]?.[key] ?? 0), 0);
    const subscribed = Number(subscribed_bps);
    const organisationReport: CapacityReport = {
      organizationID: id,
      name,
      regionalMetrics: [{ serviceRegion: region, allocated: sum('allocated'), subscribed, used: sum('used') }],
      groups: groupReports,
      childrenOrganizations: [],
    };
    reports.set(id, organisationReport);
    // The rows are sorted by depth, so the parent's report exists.
    if (parent_id) reports.get(parent_id)?.childrenOrganizations.push(organisationReport);
  }
  const [root] = reports.values();
  if (!root) throw problem('NotFound');
  return root;
}
