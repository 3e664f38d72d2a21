// The fabric that the settings name.
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { OperatorError } from '../errors/operator-error.ts';
import type { Driver } from '../fabric/driver.ts';
import { openSimulatedFabric } from '../fabric/simulated/simulated-fabric.ts';
import type { Settings } from '../settings.ts';
import { type Foundation, factOf } from './foundation.ts';

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
const randomName = (): string => Array.from({ length: 6 }, () => letters[randomInt(letters.length)]).join('');

/** Remembers which fabric the service works on, for commands beside it. */
const noteFabric = ({ asOwner }: Foundation, { fabric }: Settings): Promise<unknown> =>
  asOwner((client) =>
    client.query(
      `insert into service_facts (name, value) values ('fabric', $1) on conflict (name) do update set value = excluded.value`,
      [fabric],
    ),
  );

/** The settings with the fabric that the service works on, whatever this command was told. */
export async function settingsOfRunningService(settings: Settings, { asOwner }: Foundation): Promise<Settings> {
  const fabric = await asOwner((client) => factOf(client, 'fabric', settings.fabric));
  return { ...settings, fabric: fabric as Settings['fabric'] };
}

/** The name that everything of this database carries in a lab, and what the providers of that draw from. */
const labNames = (client: pg.Client) =>
  Promise.all([factOf(client, 'lab instance', randomName()), factOf(client, 'lab seed', randomName() + randomName())]);

export async function openFabric(
  settings: Settings,
  { store, keys, asOwner }: Foundation,
  onTrouble: (text: string) => void,
  isKeeper: boolean,
): Promise<Driver> {
  if (settings.fabric === 'simulated')
    return openSimulatedFabric({ store, keys, seed: settings.simulatedSeed, failures: settings.simulatedFail });
  const [instance, seed] = await asOwner(labNames);
  // Only who asks for a lab loads it.
  const { openLabFabric } = await import('../fabric/lab/lab-fabric.ts');
  try {
    return await openLabFabric({ folder: join(settings.data, 'lab'), instance, seed, isKeeper, onTrouble });
  } catch (error) {
    throw new OperatorError((error as Error).message);
  }
}

const heldByMs = 5000;
const lockAgainMs = 1000;

/**
 * All services of a database work on one fabric: those on the simulated one beside each other, one on a lab alone, since a lab stands on one
 * machine. The right to do so ends with this process, however that ends.
 */
async function holdFabric(
  { fabric }: Settings,
  { databaseUrl }: Foundation,
  onTrouble: (text: string) => void,
): Promise<() => Promise<void>> {
  const verb = fabric === 'lab' ? 'pg_try_advisory_lock' : 'pg_try_advisory_lock_shared';
  let isOver = false;
  let client: pg.Client | undefined;
  async function take(): Promise<boolean> {
    client = new pg.Client({ connectionString: databaseUrl, application_name: 'patchbay-fabric' });
    client.on('error', () => void takeAgain());
    await client.connect();
    const { rows } = await client.query(`select ${verb}(hashtextextended('patchbay fabric', 0)) as held`);
    if (!rows[0].held) await client.end();
    return rows[0].held;
  }
  /** The database was restarted: nobody has the right any more, and whoever is first gets it. */
  async function takeAgain(): Promise<void> {
    while (!isOver) {
      await pause(lockAgainMs, undefined, { ref: false });
      if (await take().catch(() => false)) return;
      onTrouble('The right to work on the fabric was lost with a connection, and is not had again yet.');
    }
  }
  // The database may take a moment to see that a killed predecessor is gone.
  for (const end = performance.now() + heldByMs; performance.now() < end; await pause(200))
    if (await take())
      return async () => {
        isOver = true;
        await client?.end().catch(() => undefined);
      };
  throw new OperatorError(
    'Another service of this database works on its fabric, and a lab has only one: stop the other, or give this one the same PATCHBAY_FABRIC if that is simulated.',
  );
}

/** The fabric of the service, for it alone or beside others like it, until the stack is undone. */
export async function openManagedFabric(
  settings: Settings,
  foundation: Foundation,
  onTrouble: (text: string) => void,
  opened: AsyncDisposableStack,
): Promise<Driver> {
  opened.defer(await holdFabric(settings, foundation, onTrouble));
  const driver = await openFabric(settings, foundation, onTrouble, true);
  opened.defer(() => driver.close());
  await noteFabric(foundation, settings);
  return driver;
}
