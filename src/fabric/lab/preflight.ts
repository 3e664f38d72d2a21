// Checks at start whether this machine supports what the lab needs, in a temporary network namespace.
import type { CommandRunner } from './command-runner.ts';
import { isAlive } from './processes.ts';
import { type Program, unsupported } from './programs.ts';

/** The pid makes the name unique, since commands run their checks beside the service. */
export const preflightNode = `try${process.pid}`;

/** Whether a namespace belongs to the preflight check of a running process. */
export function isPreflightNamespace(namespace: string): boolean {
  const pid = /-try(\d+)$/.exec(namespace)?.[1];
  return pid !== undefined && isAlive(Number(pid));
}

interface Check {
  feature: string;
  program: Program;
  /** Arguments, separated by blanks. */
  command: string;
  advice: string;
}

const checksIn = (namespace: string): Check[] => [
  {
    feature: 'network namespaces',
    program: 'ip',
    command: `netns add ${namespace}`,
    advice: 'start the service as root, or allow user namespaces',
  },
  {
    feature: 'cables (veth)',
    program: 'ip',
    command: `-n ${namespace} link add t1 type veth peer name t2`,
    advice: 'use a kernel with CONFIG_VETH',
  },
  {
    feature: 'legs (VXLAN)',
    program: 'ip',
    command: `-n ${namespace} link add t3 type vxlan id 3 remote 198.19.255.2 dstport 4789`,
    advice: 'use a kernel with CONFIG_VXLAN',
  },
  {
    feature: 'policy routing (ip rule)',
    program: 'ip',
    command: `-n ${namespace} rule add pref 1000 iif t1 lookup 10001`,
    advice: 'use a kernel with CONFIG_IP_MULTIPLE_TABLES',
  },
  {
    feature: 'shaper',
    program: 'tc',
    command: `-n ${namespace} qdisc add dev t1 root tbf rate 1mbit burst 32000 latency 50ms`,
    advice: 'use a kernel with CONFIG_NET_SCH_TBF',
  },
];

export async function runPreflight(runner: CommandRunner, namespace: string): Promise<void> {
  try {
    for (const { feature, program, command, advice } of checksIn(namespace)) {
      const { succeeded, text } = await runner.attempt(program, command.split(' '));
      if (!succeeded) throw unsupported(`no ${feature} (${text.trim().split('\n')[0]}); ${advice}`);
    }
  } finally {
    await runner.attempt('ip', ['netns', 'del', namespace]);
  }
}
