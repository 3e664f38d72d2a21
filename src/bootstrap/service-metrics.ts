// The metrics of what the service does for its customers. docs/operations.md describes each of them.
import { buildInfo } from '../host/build-info.ts';
import type { MetricsEndpoint, Sample } from '../host/metrics-endpoint.ts';
import type { Store } from '../store/database.ts';
import { deploymentStates, statusNames } from '../store/tables.ts';
import type { DatabaseFigures, Figures } from './database-figures.ts';

function exportPool({ addGauge, addGauges }: MetricsEndpoint, store: Store): void {
  addGauges('patchbay_database_connections', 'Connections of the pool for requests, by state', ['state'], () => {
    const { inUse, idle } = store.connections();
    return [
      { labels: { state: 'in_use' }, value: inUse },
      { labels: { state: 'idle' }, value: idle },
    ];
  });
  addGauge(
    'patchbay_database_connections_limit',
    'Largest number of connections of the pool for requests',
    () => store.connections().limit,
  );
  addGauge(
    'patchbay_database_transactions_waiting',
    'Transactions that wait for a connection of the pool for requests',
    () => store.connections().waiting,
  );
}

/** Includes the combinations that do not occur, as 0: a series that vanished would keep its last value in some queries. */
const linkSamples = ({ links }: Figures): Sample[] =>
  deploymentStates.flatMap((state) =>
    statusNames.map((status) => ({
      labels: { state, status },
      value: links.find((row) => row.state === state && row.status === status)?.count ?? 0,
    })),
  );

const connectorSamples = ({ connectors }: Figures): Sample[] =>
  deploymentStates.map((state) => ({
    labels: { state },
    value: connectors.find((row) => row.state === state)?.count ?? 0,
  }));

const queueSamples = ({ queues }: Figures, names: string[], figure: 'waiting' | 'oldestSeconds'): Sample[] =>
  names.map((queue) => ({ labels: { queue }, value: queues.find((row) => row.queue === queue)?.[figure] ?? 0 }));

export interface ExportedParts {
  store: Store;
  figures: DatabaseFigures;
  queueNames: string[];
}

export function exportServiceMetrics(metrics: MetricsEndpoint, { store, figures, queueNames }: ExportedParts): void {
  const { addGauges } = metrics;
  const add = (name: string, help: string, labels: string[], toSamples: (current: Figures) => Sample[]) =>
    addGauges(name, help, labels, async () => {
      const current = await figures.current();
      return current ? toSamples(current) : [];
    });
  addGauges('patchbay_build_info', 'The version and commit of the program', ['version', 'commit'], () => [
    { labels: buildInfo, value: 1 },
  ]);
  exportPool(metrics, store);
  add('patchbay_connectors', 'Connectors, by deployment state', ['state'], connectorSamples);
  add(
    'patchbay_links',
    'Links, by deployment state and by the worse status of their two connectors',
    ['state', 'status'],
    linkSamples,
  );
  add('patchbay_deployments_open', 'Deployments that have not ended', [], ({ deployments }) => [
    { labels: {}, value: deployments.open },
  ]);
  add(
    'patchbay_deployments_oldest_age_seconds',
    'Time since the oldest open deployment was requested; 0 without one',
    [],
    ({ deployments }) => [{ labels: {}, value: deployments.oldestSeconds }],
  );
  add('patchbay_jobs_waiting', 'Jobs that wait for a worker or for their next attempt', ['queue'], (current) =>
    queueSamples(current, queueNames, 'waiting'),
  );
  add(
    'patchbay_jobs_oldest_age_seconds',
    'Time since the oldest waiting job was enqueued; 0 without one',
    ['queue'],
    (current) => queueSamples(current, queueNames, 'oldestSeconds'),
  );
  add(
    'patchbay_last_backup_timestamp_seconds',
    'When the last successful backup was taken; absent without one',
    [],
    ({ lastBackup }) => (lastBackup === undefined ? [] : [{ labels: {}, value: lastBackup }]),
  );
}
