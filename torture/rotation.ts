// Key rotations while secrets are written and read. Some rotations are killed.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../test/harness/client.ts';
import { cleanEnvironment, root } from '../test/harness/process.ts';
import type { Fixture } from '../test/harness/service.ts';
import { destinationOf, type Log, noLog, pick } from './helpers.ts';
import { random } from './seed.ts';

export interface RotationResult {
  rotations: number;
  killed: number;
  writes: number;
  reads: number;
  lost: number;
}

/** Runs `npm run keys -- rotate` beside the fixture's service, and kills it after this many milliseconds. */
export async function rotate(
  f: Fixture,
  killAfterMs?: number,
  keys = join(f.data, 'keys.json'),
): Promise<{ code: number | null; output: string }> {
  const script = join(root, 'src', 'commands', 'keys.ts');
  const args = [script, 'rotate', '--data', f.data, '--database-url', f.databaseUrl, '--keys', keys];
  const child = spawn(process.execPath, args, { env: cleanEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(timer);
  return { code, output };
}

/** Connectors and the secret that was last acknowledged for each. */
class SecretLoad {
  readonly client: Client;
  readonly acknowledged = new Map<string, string>();
  /** Connectors with a write in progress: their secret is unknown. */
  readonly pending = new Set<string>();
  writes = 0;
  reads = 0;
  lost = 0;
  constructor(client: Client) {
    this.client = client;
  }

  async create(groupId: string, destinationId: string, count: number): Promise<void> {
    for (let index = 0; index < count; index++) {
      const serviceKey = `secret ${index}`;
      const csp = { cloudDestinationID: destinationId, providerB: { serviceKey } };
      const response = await this.client.post('/flow/connector/set-registered', {
        name: `rotation-${index}`,
        groupId,
        csp,
      });
      assert.equal(response.status, 200, response.text);
      this.acknowledged.set(response.body.id, serviceKey);
    }
  }

  #pickIdle(): string | undefined {
    return pick([...this.acknowledged.keys()].filter((id) => !this.pending.has(id)));
  }

  async write(): Promise<void> {
    const id = this.#pickIdle();
    if (!id) return;
    this.pending.add(id);
    const serviceKey = `secret ${random.next()}`;
    const response = await this.client.put(`/flow/connector/${id}`, { csp: { providerB: { serviceKey } } });
    assert.equal(response.status, 200, response.text);
    this.acknowledged.set(id, serviceKey);
    this.pending.delete(id);
    this.writes++;
  }

  async read(): Promise<void> {
    const id = this.#pickIdle();
    if (!id) return;
    const before = this.acknowledged.get(id);
    const response = await this.client.get(`/flow/connector/${id}`);
    assert.equal(response.status, 200, response.text);
    if (this.pending.has(id) || this.acknowledged.get(id) !== before) return;
    this.reads++;
    if (response.body.write.csp.providerB.serviceKey !== before) this.lost++;
  }

  /** Checks all secrets after the last write. */
  async check(): Promise<void> {
    for (const [id, secret] of this.acknowledged) {
      const { body } = await this.client.get(`/flow/connector/${id}`);
      if (body.write.csp.providerB.serviceKey !== secret) this.lost++;
    }
  }
}

async function openLoad(f: Fixture, connectors: number): Promise<SecretLoad> {
  const admin = await f.as('admin@meridian.example');
  const { boreal } = f.organisations;
  await admin.put(`/organisations/${boreal}/products/providerB/europe`, { total: connectors + 100 });
  const client = admin.with({ scope: boreal });
  const load = new SecretLoad(client);
  const { id: groupId } = (await client.post('/groups', { name: 'rotation' })).body;
  await load.create(groupId, await destinationOf(client, 'providerB'), connectors);
  return load;
}

export async function rotateUnderLoad(
  f: Fixture,
  size: { connectors: number; rotations: number; kills: number },
  log: Log = noLog,
): Promise<RotationResult> {
  const load = await openLoad(f, size.connectors);
  let isOver = false;
  const work = Array.from({ length: 6 }, async (_, index) => {
    while (!isOver) await (index < 3 ? load.write() : load.read());
  });
  // Promise.all below reports a failure.
  for (const one of work) one.catch(() => undefined);
  let killed = 0;
  try {
    for (let round = 0; round < size.kills; round++) {
      const { code } = await rotate(f, 300 + random.next() * 900);
      if (code === null) killed++;
      await pause(50);
    }
    for (let round = 0; round < size.rotations; round++) {
      const { code, output } = await rotate(f);
      assert.equal(code, 0, output);
      log(output.trim().split('\n').slice(-2)[0] ?? '');
    }
  } finally {
    isOver = true;
  }
  await Promise.all(work);
  await load.check();
  return { rotations: size.rotations, killed, writes: load.writes, reads: load.reads, lost: load.lost };
}
