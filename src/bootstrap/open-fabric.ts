// Opens the fabric that the settings name, and holds the advisory lock on it while the service runs.
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { OperatorError } from '../errors/operator-error.ts';
import type { Driver } from '../fabric/driver.ts';
import { SimulatedFabric } from '../fabric/simulated/simulated-fabric.ts';
import type { Settings } from '../settings.ts';
import { getOrCreateFact, setFact } from '../store/service-facts-store.ts';
import type { Foundation } from './foundation.ts';

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
const randomName = (): string => Array.from({ length: 6 }, () => letters[randomInt(letters.length)]).join('');

/** Records the service's fabric for commands that run beside it. */
const recordFabric = ({ asOwner }: Foundation, { fabric }: Settings): Promise<void> =>
  asOwner((client) => setFact(client, 'fabric', fabric));

/** The settings with the fabric of the running service, whatever the command's own settings say. */
export async function settingsOfRunningService(settings: Settings, { asOwner }: Foundation): Promise<Settings> {
  const fabric = await asOwner((client) => getOrCreateFact(client, 'fabric', settings.fabric));
  return { ...settings, fabric: fabric as Settings['fabric'] };
}

/** The name prefix of this database's resources in a lab, and the seed of its simulated providers. */
const readLabNames = (client: pg.Client) =>
  Promise.all([
    getOrCreateFact(client, 'lab instance', randomName()),
    getOrCreateFact(client, 'lab seed', randomName() + randomName()),
  ]);

/** `isOwner` is true for the service and false for commands beside it. */
export async function openFabric(
  settings: Settings,
  { store, keys, asOwner }: Foundation,
  onWarning: (text: string) => void,
  isOwner: boolean,
): Promise<Driver> {
  if (settings.fabric === 'simulated')
    return new SimulatedFabric({ store, keys, seed: settings.simulatedSeed, faultRules: settings.simulatedFail });
  const [instance, seed] = await asOwner(readLabNames);
  // Loaded only when it is used.
  const { LabFabric } = await import('../fabric/lab/lab-fabric.ts');
  try {
    return await LabFabric.open({ folder: join(settings.data, 'lab'), instance, seed, isOwner, onWarning });
  } catch (error) {
    throw new OperatorError((error as Error).message);
  }
}

type OnWarning = (text: string, error?: Error) => void;

const acquireTimeoutMs = 5000;
const reacquireIntervalMs = 1000;

/**
 * The advisory lock on a database's fabric: shared by services on the simulated fabric, exclusive for a lab, which
 * exists on one machine. PostgreSQL releases it when this process ends, however it ends.
 */
class FabricLock {
  readonly #databaseUrl: string;
  readonly #function: string;
  readonly #onWarning: OnWarning;
  #client: pg.Client | undefined;
  #isReleased = false;

  constructor({ databaseUrl }: Foundation, { fabric }: Settings, onWarning: OnWarning) {
    this.#databaseUrl = databaseUrl;
    this.#function = fabric === 'lab' ? 'pg_try_advisory_lock' : 'pg_try_advisory_lock_shared';
    this.#onWarning = onWarning;
  }

  async acquire(): Promise<void> {
    // The database may take a moment to notice that a killed predecessor is gone.
    for (const end = performance.now() + acquireTimeoutMs; performance.now() < end; await pause(200))
      if (await this.#tryAcquire()) return;
    throw new OperatorError(
      'Another service of this database uses its fabric, and only one service can use a lab. ' +
        'Stop the other service, or set the same PATCHBAY_FABRIC if that is simulated.',
    );
  }

  async release(): Promise<void> {
    this.#isReleased = true;
    await this.#client?.end().catch(() => undefined);
  }

  async #tryAcquire(): Promise<boolean> {
    const client = new pg.Client({ connectionString: this.#databaseUrl, application_name: 'patchbay-fabric' });
    this.#client = client;
    client.on('error', () => void this.#reacquire());
    await client.connect();
    const { rows } = await client.query(`select ${this.#function}(hashtextextended('patchbay fabric', 0)) as locked`);
    if (!rows[0].locked) await client.end();
    return rows[0].locked;
  }

  /** A lost connection loses the lock; another service may get it first. */
  async #reacquire(): Promise<void> {
    while (!this.#isReleased) {
      await pause(reacquireIntervalMs, undefined, { ref: false });
      const text = 'The fabric lock was lost with its connection and could not be acquired again yet.';
      try {
        if (await this.#tryAcquire()) return;
        this.#onWarning(text);
      } catch (error) {
        this.#onWarning(text, error as Error);
      }
    }
  }
}

/** Opens the fabric for the service, under the fabric lock, until the stack is disposed. */
export async function openManagedFabric(
  settings: Settings,
  foundation: Foundation,
  onWarning: OnWarning,
  opened: AsyncDisposableStack,
): Promise<Driver> {
  const lock = new FabricLock(foundation, settings, onWarning);
  await lock.acquire();
  opened.defer(() => lock.release());
  const driver = await openFabric(settings, foundation, onWarning, true);
  opened.defer(() => driver.close());
  await recordFabric(foundation, settings);
  return driver;
}
