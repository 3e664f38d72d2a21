// Two services on one database with one key file, as replicas run.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { rotate } from '../torture/rotation.ts';
import { createDatabase, startFixture } from './harness/service.ts';

const home = await mkdtemp(join(tmpdir(), 'pbtwo-'));
const keys = join(home, 'keys.json');
const database = await createDatabase();
// Both start at once on an empty database: one migrates and loads the demo world, the other waits for it.
const [one, two] = await Promise.all([
  startFixture(['--keys', keys], database),
  startFixture(['--keys', keys], database),
]);
after(async () => {
  await Promise.all([one.close(), two.close()]);
  await database.drop();
  await rm(home, { recursive: true, force: true });
});

test('two concurrent first starts load one demo world', async () => {
  const { rows } = await one.owner.query('select count(*)::int as organisations from organisations');
  assert.equal(rows[0].organisations, 5);
  for (const f of [one, two]) assert.ok((await (await f.as('admin@atlas.example')).get('/connectors')).body.length > 5);
});

test('each replica opens what the other sealed, also after a key rotation', async () => {
  const [here, there] = [await one.as('admin@atlas.example'), await two.as('admin@atlas.example')];
  const site = (await here.get('/connectors')).body.find((one: { name: string }) => one.name === 'mrs-hq');
  const path = `/flow/connector/${site.id}`;
  const change = (client: typeof here, cmeBGPKey: string) => client.put(path, { entreprise: { cmeBGPKey } });
  const key = async (client: typeof here) => (await client.get(path)).body.write.entreprise.cmeBGPKey;
  assert.equal((await change(here, 'sealed by the first')).status, 200);
  assert.equal(await key(there), 'sealed by the first');
  const { code, output } = await rotate(one, undefined, keys);
  assert.equal(code, 0, output);
  assert.equal(await key(there), 'sealed by the first');
  assert.equal((await change(there, 'sealed by the second')).status, 200, 'by the replica that did not rotate');
  assert.equal(await key(here), 'sealed by the second');
});
