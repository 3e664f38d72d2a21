// Secrets while their key changes: writers and readers at work, rotations beside them, some of them killed half way.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../test/harness/client.ts';
import { cleanEnvironment, root } from '../test/harness/process.ts';
import type { Fixture } from '../test/harness/service.ts';
import { chance } from './seed.ts';

export interface Rotations {
  rotations: number;
  killed: number;
  writes: number;
  reads: number;
  lost: number;
}

/** npm run keys -- rotate beside the fixture's service; killed after so many milliseconds when that is asked for. */
export async function rotate(
  f: Fixture,
  killAfter?: number,
  keys = join(f.data, 'keys.json'),
): Promise<{ code: number | null; output: string }> {
  const script = join(root, 'src', 'commands', 'keys.ts');
  const args = [script, 'rotate', '--data', f.data, '--database-url', f.databaseUrl, '--keys', keys];
  const child = spawn(process.execPath, args, { env: cleanEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const timer = killAfter === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfter);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(timer);
  return { code, output };
}

/** A tenant with connectors whose secrets are known: what was acknowledged last is what must be read. */
class Vault {
  readonly client: Client;
  readonly known = new Map<string, string>();
  /** Connectors that a write is under way for: what they hold is not known until it is answered. */
  readonly open = new Set<string>();
  writes = 0;
  reads = 0;
  lost = 0;
  constructor(client: Client) {
    this.client = client;
  }

  async fill(groupId: string, destinationId: string, count: number): Promise<void> {
    for (let index = 0; index < count; index++) {
      const serviceKey = `planted secret ${index}`;
      const csp = { cloudDestinationID: destinationId, providerB: { serviceKey } };
      const answer = await this.client.post('/flow/connector/set-registered', { name: `vault-${index}`, groupId, csp });
      assert.equal(answer.status, 200, answer.text);
      this.known.set(answer.body.id, serviceKey);
    }
  }

  #any(): string | undefined {
    const ids = [...this.known.keys()].filter((id) => !this.open.has(id));
    return ids[Math.floor(chance() * ids.length)];
  }

  async write(): Promise<void> {
    const id = this.#any();
    if (!id) return;
    this.open.add(id);
    const serviceKey = `planted secret ${chance()}`;
    const answer = await this.client.put(`/flow/connector/${id}`, { csp: { providerB: { serviceKey } } });
    assert.equal(answer.status, 200, answer.text);
    this.known.set(id, serviceKey);
    this.open.delete(id);
    this.writes++;
  }

  async read(): Promise<void> {
    const id = this.#any();
    if (!id) return;
    const before = this.known.get(id);
    const answer = await this.client.get(`/flow/connector/${id}`);
    assert.equal(answer.status, 200, answer.text);
    if (this.open.has(id) || this.known.get(id) !== before) return;
    this.reads++;
    if (answer.body.write.csp.providerB.serviceKey !== before) this.lost++;
  }

  /** Everything, when nobody writes any more. */
  async check(): Promise<void> {
    for (const [id, secret] of this.known) {
      const { body } = await this.client.get(`/flow/connector/${id}`);
      if (body.write.csp.providerB.serviceKey !== secret) this.lost++;
    }
  }
}

async function openVault(f: Fixture, connectors: number): Promise<Vault> {
  const admin = await f.as('admin@meridian.example');
  const { boreal } = f.organisations;
  await admin.put(`/organisations/${boreal}/products/providerB/europe`, { total: connectors + 100 });
  const client = admin.with({ scope: boreal });
  const destinations = (await client.get('/cloud-gateways-types')).body.cloudGatewayTypes;
  const { id } = destinations.find(
    (one: { family: { shortName: string }; region: string }) =>
      one.family.shortName === 'providerB' && one.region === 'europe',
  );
  const vault = new Vault(client);
  await vault.fill((await client.post('/groups', { name: 'vault' })).body.id, id, connectors);
  return vault;
}

export async function rotateUnderLoad(
  f: Fixture,
  size: { connectors: number; rotations: number; kills: number },
  log: (line: string) => void = () => undefined,
): Promise<Rotations> {
  const vault = await openVault(f, size.connectors);
  let isOver = false;
  const work = Array.from({ length: 6 }, async (_, index) => {
    while (!isOver) await (index < 3 ? vault.write() : vault.read());
  });
  // A worker that fails is heard at the end, when all of them are waited for.
  for (const one of work) one.catch(() => undefined);
  let killed = 0;
  try {
    for (let round = 0; round < size.kills; round++) {
      const { code } = await rotate(f, 300 + chance() * 900);
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
  await vault.check();
  return { rotations: size.rotations, killed, writes: vault.writes, reads: vault.reads, lost: vault.lost };
}
