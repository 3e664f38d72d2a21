// Whether this machine can do what the lab needs, tried out in a place that is thrown away.
import { type CommandRunner, isAlive, LabError } from './command-runner.ts';

/** Commands may try out beside the service, each in a place of its own. */
export const preflightNamespace = `try${process.pid}`;

/** Whether a namespace is the trial of a process that is still there. */
export function isPreflightNamespace(namespace: string): boolean {
  const pid = /-try(\d+)$/.exec(namespace)?.[1];
  return pid !== undefined && isAlive(Number(pid));
}

const trials: [string, (place: string) => string[], string][] = [
  ['network namespaces', (place) => ['netns', 'add', place], 'start the service as root, or allow user namespaces'],
  [
    'cables (veth)',
    (place) => ['-n', place, 'link', 'add', 't1', 'type', 'veth', 'peer', 'name', 't2'],
    'use a kernel with CONFIG_VETH',
  ],
  [
    'legs (VXLAN)',
    (place) => [
      '-n',
      place,
      'link',
      'add',
      't3',
      'type',
      'vxlan',
      'id',
      '3',
      'remote',
      '198.19.255.2',
      'dstport',
      '4789',
    ],
    'use a kernel with CONFIG_VXLAN',
  ],
  [
    'policy routing (ip rule)',
    (place) => ['-n', place, 'rule', 'add', 'pref', '1000', 'iif', 't1', 'lookup', '10001'],
    'use a kernel with CONFIG_IP_MULTIPLE_TABLES',
  ],
];

export async function runPreflight(machine: CommandRunner, place: string): Promise<void> {
  try {
    for (const [what, words, advice] of trials) {
      const { isGood, text } = await machine.attempt('ip', words(place));
      if (!isGood)
        throw new LabError(`The lab fabric cannot work here: no ${what} (${text.trim().split('\n')[0]}); ${advice}`);
    }
    const shaper = [
      '-n',
      place,
      'qdisc',
      'add',
      'dev',
      't1',
      'root',
      'tbf',
      'rate',
      '1mbit',
      'burst',
      '32000',
      'latency',
      '50ms',
    ];
    const { isGood, text } = await machine.attempt('tc', shaper);
    if (!isGood)
      throw new LabError(
        `The lab fabric cannot work here: no shaper (${text.trim().split('\n')[0]}); use a kernel with CONFIG_NET_SCH_TBF`,
      );
  } finally {
    await machine.attempt('ip', ['netns', 'del', place]);
  }
}
