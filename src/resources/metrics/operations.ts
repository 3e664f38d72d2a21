// Finds the resource behind a name and builds the query for one of its metrics.
import { invalid, problem } from '../../errors/problems.ts';
import type { Backend } from '../../metrics/backend.ts';
import { type Metric, metricsOf } from '../../metrics/catalogue.ts';
import { type QueryResult, queryDailyAvailability, queryMeans, queryUsage } from '../../metrics/queries.ts';
import { interfaceQualifier, type Subject } from '../../metrics/samples.ts';
import {
  parseBucketedRange,
  parseDailyRange,
  parseInterval,
  parseTimeRange,
  type RangeInput,
} from '../../metrics/time-range.ts';
import type { Database, Scope } from '../../store/database.ts';
import { parseIrn } from '../../values/irn.ts';
import { type ConnectorNames, findMeasuredConnector, listConnectorsInRegion, recordExists } from './store.ts';
import { toConnectorSubject, toLinkSubject } from './to-subject.ts';

export interface MetricTarget {
  family: string;
  id: string;
  connector: ConnectorNames | undefined;
}

/** The resource of this name in the scope. A resource of another tenant answers like a missing one. */
export async function findMetricTarget(database: Database, scope: Scope, name: string): Promise<MetricTarget> {
  const irn = parseIrn(name);
  const isInterface = irn?.family === 'cloudgateway';
  if (!irn || irn.owner !== scope.organisationCode || irn.qualifier !== (isInterface ? interfaceQualifier : ''))
    throw problem('NotFound');
  const { family, id } = irn;
  const isConnector = isInterface || family === 'connectors';
  const connector = isConnector
    ? await findMeasuredConnector(database, scope, isInterface ? 'interface_id' : 'id', id)
    : undefined;
  if (isConnector ? !connector : !(await recordExists(database, scope, family, id))) throw problem('NotFound');
  return { family, id, connector };
}

export type MetricQuery =
  | { metric: Metric & { type: 'status' }; connector: ConnectorNames; subject: Subject }
  | { metric: Metric & { type: 'timeserie' }; run: (backend: Backend) => Promise<QueryResult[]> };

/** Validates in the documented order: query parameters, resource name, metric. */
export async function buildMetricQuery(
  database: Database,
  scope: Scope,
  name: string,
  metricName: string,
  input: RangeInput & { region?: string },
  nowMs: number,
): Promise<MetricQuery> {
  parseTimeRange(input, nowMs);
  parseInterval(input);
  const { family, id, connector } = await findMetricTarget(database, scope, name);
  const metrics = metricsOf(family);
  const metric = metrics.find((one) => one.name === metricName);
  if (!metric)
    throw invalid(
      'metricType',
      metrics.length
        ? `must be one of ${metrics.map((one) => one.name).join(', ')}`
        : 'cannot be had: it has no metrics',
      'UnknownMetric',
    );
  if (input.region !== undefined && input.region !== metric.name)
    throw invalid(
      'region',
      family === 'group' ? `must be ${metric.name}, as the metric` : 'is for the metrics of groups alone',
    );
  const subject = connector && toConnectorSubject(connector, scope.organisationCode);
  if (metric.type === 'status') {
    if (!connector || !subject) throw problem('NotFound');
    return { metric, connector, subject };
  }
  if (metric.aggregation === 'usage') {
    const range = parseBucketedRange(input, nowMs);
    const rows = await listConnectorsInRegion(database, scope, id, metric.name);
    const subjects = rows.map((row) => toConnectorSubject(row, scope.organisationCode));
    return { metric, run: (backend) => queryUsage(backend, subjects, range) };
  }
  const metricSubject = subject ?? toLinkSubject(id, scope);
  if (metric.aggregation === 'daily') {
    const range = parseDailyRange(input, nowMs);
    return { metric, run: (backend) => queryDailyAvailability(backend, metricSubject, metric.quantity, range) };
  }
  const range = parseBucketedRange(input, nowMs);
  return { metric, run: (backend) => queryMeans(backend, metricSubject, metric.quantity, range) };
}
