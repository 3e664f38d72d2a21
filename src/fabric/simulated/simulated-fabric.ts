// A fabric that touches nothing: it remembers what it was told to hold, takes a believable time over it, and fails when asked to. All that
// it says is drawn from a seed: the same records get the same answers.
import { setTimeout as pause } from 'node:timers/promises';
import type { Keys } from '../../host/key-file.ts';
import { critical, ok } from '../../metrics/quantities.ts';
import { allTenants, type Database, type Store } from '../../store/database.ts';
import type { FarEndFault } from '../../values/far-end-fault.ts';
import { type Cidr, formatAddress, formatCidr } from '../../values/ip.ts';
import type { ConnectorSpec, DesiredState, LinkSpec } from '../desired-state.ts';
import {
  type ChangeFailure,
  type Diagnosis,
  type Driver,
  Fenced,
  type Health,
  type HeldRoute,
  type Item,
  type TelemetryReading,
} from '../driver.ts';
import { fraction } from '../seeded-random.ts';
import { createFaultInjector, type FaultRule } from './fault-injection.ts';
import { addItem, changeItem, checkFencingToken, listHeld, listItems, removeItem } from './store.ts';
import { bitsOf, linkQuality, trafficProfile } from './telemetry.ts';

export interface SimulatedOptions {
  store: Store;
  keys: Keys;
  seed: string;
  failures: FaultRule[];
}

/** Each change takes so long, by the draw. */
const leastMs = 8;
const spreadMs = 40;

const routerName = (number: number): string => `r${number}`;
const interfacesOf = ({ number, sessions }: ConnectorSpec): string[] =>
  sessions.map((_, index) => (index === 0 ? `c${number}` : `c${number}b`));

function compile(keys: Keys, { routers, connectors: jacks, links: cords }: DesiredState): Item[] {
  // Keyed: a session's facts hold its key, which nobody shall guess from what is kept here.
  const item = (key: string, on: string, text: string, concerns: string[], ...facts: unknown[]): Item => ({
    key,
    on,
    text,
    concerns,
    fingerprint: keys.hash('fabric item', JSON.stringify(facts)).toString('hex').slice(0, 16),
  });
  const on = (number: number): ConnectorSpec[] => jacks.filter(({ router }) => router === number);
  const byNumber = new Map(jacks.map((jack) => [jack.number, jack]));
  const nameAt = (number: number): string => routerName(byNumber.get(number)?.router ?? 0);
  return [
    ...routers.map(({ number, edgeCode }) =>
      item(
        `router ${routerName(number)}`,
        routerName(number),
        `router ${routerName(number)} at ${edgeCode}`,
        on(number).map(({ connectorId }) => connectorId),
        edgeCode,
      ),
    ),
    ...jacks.flatMap((jack) => [
      item(
        `port c${jack.number}`,
        routerName(jack.router),
        `port c${jack.number} at ${jack.bandwidthBps / 1e6} Mbps`,
        [jack.connectorId],
        jack.bandwidthBps,
      ),
      ...jack.sessions.map((session, index) =>
        item(
          `session ${interfacesOf(jack)[index]}`,
          routerName(jack.router),
          `BGP session with AS${session.remoteAs} at ${formatAddress(session.remote.address)}`,
          [jack.connectorId],
          session,
          jack.prefixLimit,
        ),
      ),
    ]),
    ...cords.map(({ number, linkId, from, to, delayMs }) =>
      item(
        `cord l${number}`,
        nameAt(from) === nameAt(to) ? nameAt(from) : `${nameAt(from)} and ${nameAt(to)}`,
        `cord l${number} between c${from} and c${to}`,
        [linkId],
        from,
        to,
        delayMs,
      ),
    ),
  ];
}

const asked: Diagnosis = {
  cause: 'The simulated fabric was told to fail here (PATCHBAY_SIMULATED_FAIL).',
  advice: 'Start the service without that setting, and deploy again.',
};

const troubleOf: Record<FarEndFault, Diagnosis> = {
  key: {
    cause: 'The far end answers on the cable but not over TCP: the keys of the two sides differ.',
    advice: 'Compare the BGP key of this connector with that of the other side.',
  },
  asn: {
    cause: 'The far end introduced itself with another AS number than this connector expects.',
    advice: 'Compare the AS numbers of the two sides.',
  },
  down: {
    cause: 'The far end does not answer on the cable.',
    advice: 'Have the other side look at its equipment and its port.',
  },
  flood: {
    cause: 'The far end announced more prefixes than its limit, and the session was ended.',
    advice: 'Have the other side filter or aggregate what it announces.',
  },
};

const routesBy = (jack: ConnectorSpec, through: string): HeldRoute[] => {
  const [session] = jack.sessions;
  if (!session || jack.farEnd.fault) return [];
  return jack.farEnd.prefixes.map((prefix: Cidr) => ({
    prefix: formatCidr(prefix),
    nextHop: formatAddress(session.remote.address),
    path: String(session.remoteAs),
    localPreference: session.localPreference,
    isActive: true,
    interface: through,
    connector: jack.number,
  }));
};

export function openSimulatedFabric({ store, keys, seed, failures }: SimulatedOptions): Driver {
  const fails = createFaultInjector(failures, seed);

  /** One change by itself, as a machine elsewhere would make it: there or not there, whenever this process dies. */
  async function change(groupId: string, token: number, work: (database: Database) => Promise<unknown>): Promise<void> {
    await store.write(allTenants, async (database) => {
      if (!(await checkFencingToken(database, allTenants, groupId, token)))
        throw new Fenced('Somebody with a newer token has worked here since.');
      await work(database);
    });
  }

  const driver: Driver = {
    origin: 'simulated',
    can: { look: false },
    reconcileSeconds: 300,
    measureSeconds: 60,
    seed,
    compile: (blueprint) => compile(keys, blueprint),
    interfacesOf,
    async observe(groupId) {
      if (fails('plan', groupId)) throw new Error(asked.cause);
      return store.read(allTenants, (database) => listItems(database, allTenants, groupId));
    },
    async apply({ groupId }, plan, turn) {
      const failed: ChangeFailure[] = [];
      const refused = new Set(
        plan.changes
          .flatMap(({ item: { concerns } }) => concerns)
          .filter((id, at, all) => all.indexOf(id) === at && fails('apply', id)),
      );
      for (const made of plan.changes) {
        const { action, item: wanted } = made;
        await turn.renew();
        // What several records need is made as long as one of them is not refused.
        if (action !== 'remove' && refused.size > 0 && wanted.concerns.every((id) => refused.has(id))) {
          failed.push({ change: made, ...asked });
          continue;
        }
        await pause(leastMs + spreadMs * fraction(seed, groupId, wanted.key));
        await change(groupId, turn.token, (database) => {
          if (action === 'add') return addItem(database, allTenants, groupId, wanted);
          if (action === 'change') return changeItem(database, allTenants, groupId, wanted);
          return removeItem(database, allTenants, groupId, wanted.key);
        });
      }
      return failed;
    },
    async remove(groupId, turn) {
      const held = await store.read(allTenants, (database) => listItems(database, allTenants, groupId));
      for (const { key } of held) {
        await turn.renew();
        await change(groupId, turn.token, (database) => removeItem(database, allTenants, groupId, key));
      }
    },
    async health({ groupId, connectors: jacks }) {
      const held = await store.read(allTenants, (database) => listItems(database, allTenants, groupId));
      const keys = new Set(held.map(({ key }) => key));
      return new Map(
        jacks.map((jack): [number, Health] => {
          const { fault } = jack.farEnd;
          const isHeld = interfacesOf(jack).every((name) => keys.has(`session ${name}`));
          if (fault) return [jack.number, { isUp: false, diagnosis: troubleOf[fault] }];
          if (isHeld && fails('verify', jack.connectorId)) return [jack.number, { isUp: false, diagnosis: asked }];
          return [jack.number, { isUp: isHeld }];
        }),
      );
    },
    async probe({ groupId }, cord: LinkSpec) {
      const held = await store.read(allTenants, (database) => listItems(database, allTenants, groupId));
      if (!held.some(({ key }) => key === `cord l${cord.number}`)) return { hasCrossed: false };
      if (fails('verify', cord.linkId)) return { hasCrossed: false, diagnosis: asked };
      const jitter = fraction(seed, cord.linkId) * 0.8;
      return { hasCrossed: true, milliseconds: Math.round((2 * cord.delayMs + jitter) * 100) / 100 };
    },
    async routes({ connectors: jacks, links: cords }, jack) {
      const byNumber = new Map(jacks.map((one) => [one.number, one]));
      const peers = cords.flatMap(({ from, to, number }) => {
        const other = from === jack.number ? to : to === jack.number ? from : undefined;
        const found = other === undefined ? undefined : byNumber.get(other);
        return found ? routesBy(found, `l${number}`) : [];
      });
      return [...routesBy(jack, interfacesOf(jack)[0] ?? ''), ...peers];
    },
    look: () => Promise.reject(new Error('The simulated fabric has no routers to look at')),
    groups: () => store.read(allTenants, (database) => listHeld(database, allTenants)),
    async measure(blueprint, atMs) {
      const health = await driver.health(blueprint);
      const isUp = (number: number): boolean => health.get(number)?.isUp === true;
      const cords = await Promise.all(
        blueprint.links.map(async (cord) => {
          const hasCrossed = isUp(cord.from) && isUp(cord.to) && (await driver.probe(blueprint, cord)).hasCrossed;
          return readingsOfCord(seed, cord, hasCrossed, atMs);
        }),
      );
      return [
        ...blueprint.connectors.flatMap((jack) => readingsOfJack(seed, jack, isUp(jack.number), atMs)),
        ...cords.flat(),
      ];
    },
    describe: async () => `simulated (seed ${seed}): touches nothing`,
    close: async () => undefined,
  };
  return driver;
}

function readingsOfJack(
  seed: string,
  { connectorId, bandwidthBps }: ConnectorSpec,
  isUp: boolean,
  atMs: number,
): TelemetryReading[] {
  const { send, received } = bitsOf(trafficProfile(seed, connectorId), bandwidthBps, atMs);
  const own = { kind: 'connector' as const, recordId: connectorId };
  return [
    { ...own, field: 'bits_send', value: isUp ? send : 0 },
    { ...own, field: 'bits_received', value: isUp ? received : 0 },
    { ...own, field: 'bgp_status', value: isUp ? ok : critical },
    { ...own, field: 'host_status', value: ok },
  ];
}

function readingsOfCord(seed: string, cord: LinkSpec, hasCrossed: boolean, atMs: number): TelemetryReading[] {
  const own = { kind: 'link' as const, recordId: cord.linkId };
  if (!hasCrossed) return [{ ...own, field: 'packet_loss', value: 100 }];
  const { latency, jitter, packetLoss } = linkQuality(trafficProfile(seed, cord.linkId), cord, atMs);
  const lost: TelemetryReading = { ...own, field: 'packet_loss', value: packetLoss };
  if (packetLoss >= 100) return [lost];
  return [{ ...own, field: 'latency', value: latency }, { ...own, field: 'jitter', value: jitter }, lost];
}
