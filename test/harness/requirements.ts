// Programs that some test files need beyond the npm packages. They are installed where that is possible.
import { globSync } from 'node:fs';
import { balancerPackages, hasBalancer } from '../../torture/balancer.ts';
import { lacksSmallDisk } from '../../torture/small-disk.ts';
import { browserPackages, hasBrowser } from './browser.ts';
import { ensureDebianPackages, hasProgram } from './debian-packages.ts';
import { hasDebianPostgres } from './debian-postgres.ts';
import { faketimePackages, hasFaketime } from './faketime.ts';
import { enginePackages, hasEngines } from './metric-engines.ts';
import { ensurePrometheus } from './prometheus.ts';
import { lacksThrowawayMachine } from './throwaway-machine.ts';

export interface Requirement {
  /** Subject and verb of the sentence that reports that these files did not run. */
  subject: string;
  files: RegExp;
  /** Installs what is missing; returns why it cannot, if it cannot. */
  ensure(): Promise<string | undefined> | string | undefined;
}

const labPrograms = ['bird', 'ip', 'tc', 'fping', 'ethtool', 'traceroute', 'iperf3'];
const labPackages = ['bird2', 'iproute2', 'fping', 'ethtool', 'traceroute', 'iperf3'];

/** A dependency of the Debian package. */
const hasLibatomic = (): boolean => globSync('/usr/lib/*-linux-gnu/libatomic.so.1').length > 0;

export const requirements: Requirement[] = [
  {
    subject: 'The lab fabric was',
    files: /\blab\b/,
    ensure: () => ensureDebianPackages(labPackages, () => labPrograms.every(hasProgram)),
  },
  {
    subject: 'InfluxDB and VictoriaMetrics were',
    files: /\bmetric-(engines|failures)\b/,
    ensure: () => ensureDebianPackages(enginePackages, hasEngines),
  },
  { subject: 'Rules and dashboard in Prometheus were', files: /\bmonitoring\b/, ensure: ensurePrometheus },
  {
    subject: 'Replicas behind a balancer were',
    files: /\breplicas-torture\b/,
    ensure: () => ensureDebianPackages(balancerPackages, hasBalancer),
  },
  {
    subject: 'Clock jumps were',
    files: /\b(clock-torture|certificates)\b/,
    ensure: () => ensureDebianPackages(faketimePackages, hasFaketime),
  },
  {
    subject: 'The portal in a browser was',
    files: /^test\/portal\//,
    ensure: () => ensureDebianPackages(browserPackages, hasBrowser),
  },
  {
    subject: 'Wrong settings and passwords that a server rejects were',
    files: /\b(wrong-settings|settings-secrets)\b/,
    ensure: () => ensureDebianPackages(['postgresql'], hasDebianPostgres),
  },
  {
    subject: 'The release was',
    files: /^test\/release\b/,
    ensure: async () =>
      (await lacksThrowawayMachine()) ??
      (await ensureDebianPackages(['systemd', 'libatomic1'], () => hasProgram('systemd-notify') && hasLibatomic())),
  },
  { subject: 'A full disk was', files: /\bdisk-torture\b/, ensure: lacksSmallDisk },
];
