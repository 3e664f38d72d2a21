// A further provider needs one new file: a copy of the program with such a file supports it everywhere.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { createClient } from './harness/client.ts';
import { cleanEnvironment, root, start } from './harness/process.ts';
import { basic, createDatabase } from './harness/service.ts';

const run = promisify(execFile);

const providerD = `
import { type ConnectorKind, field } from './connector-kind.ts';
import { asNumber, secret, text, vlan } from './field-types.ts';

export const kind: ConnectorKind = {
  name: 'providerD',
  fields: [
    field('asNumber', 'required', asNumber),
    field('providerDToken', 'required', secret('Token of the circuit'), 'token'),
    field('vlan', 'optional', vlan),
    field('providerDCircuit', 'none', text),
  ],
  defaults: () => ({ vlan: 7 }),
  bandwidthBps: () => 2e9,
  provision: (_, source) => ({ providerDCircuit: source.identifier('dune') }),
  sessions: () => [],
  example: { asNumber: 64710, token: 'circuit token' },
};
`;

test('a further provider is validated, stored, sealed, documented, branded and sold like the others', {
  timeout: 600_000,
}, async () => {
  const home = await mkdtemp(join(tmpdir(), 'pbfifth-'));
  const database = await createDatabase();
  const [project, data] = [join(home, 'project'), join(home, 'data')];
  await cp(join(root, 'src'), join(project, 'src'), { recursive: true });
  await cp(join(root, 'package.json'), join(project, 'package.json'));
  await symlink(join(root, 'node_modules'), join(project, 'node_modules'));
  await writeFile(join(project, 'src/connector-kinds/provider-d.ts'), providerD);
  await writeFile(join(home, 'brand.json'), JSON.stringify({ families: { providerD: 'dune' } }));
  const service = await start(data, {
    project,
    args: ['--database-url', database.url, '--brand', join(home, 'brand.json')],
  });
  after(async () => {
    service.child.kill('SIGTERM');
    await service.exited;
    await database.drop();
    await rm(home, { recursive: true, force: true });
  });
  // Destinations come from the catalogue.
  const catalogue = async (...words: string[]) =>
    run(
      process.execPath,
      [join(project, 'src/commands/catalogue.ts'), ...words, '--data', data, '--database-url', database.url],
      {
        env: cleanEnvironment(),
        maxBuffer: 2 ** 26,
      },
    );
  const file = join(home, 'catalogue.json');
  const content = JSON.parse((await catalogue('export')).stdout);
  const [{ locode, edgeCode }] = content.cities;
  content.destinations.push({ family: 'providerD', cspCity: 'Dune One', locode, edgeCode });
  await writeFile(file, JSON.stringify(content));
  await catalogue('import', file);

  const client = createClient(service.url, await service.ca());
  after(() => client.close());
  const signIn = { grant_type: 'password', scope: 'everything', password: 'patchbay demo passphrase' };
  const token = async (username: string): Promise<string> =>
    (await client.post('/auth/token', { ...signIn, username }, { basic })).body.access_token;
  const parent = client.with({ token: await token('admin@meridian.example') });
  const child = client.with({ token: await token('admin@atlas.example') });
  const { organisationId } = (await child.get('/me/info')).body;
  const destination = (await child.get('/cloud-gateways-types')).body.cloudGatewayTypes.find(
    (one: { cspCity: string }) => one.cspCity === 'Dune One',
  );
  assert.equal(destination.family.shortName, 'dune');
  const pool = await parent.put(`/organisations/${organisationId}/products/dune/${destination.region}`, { total: 1 });
  assert.equal(pool.status, 200, pool.text);
  const [group] = (await child.get('/groups')).body;
  const input = (dune: object) => ({
    name: 'dune-1',
    groupId: group.id,
    csp: { cloudDestinationID: destination.id, dune },
  });
  const rejected = await child.post('/flow/connector/set-registered', input({ asNumber: 0, token: 'a secret token' }));
  assert.deepEqual([rejected.status, rejected.body.details[0].path], [400, 'csp.dune.asNumber']);
  const made = await child.post('/flow/connector/set-registered', input({ asNumber: 64710, token: 'a secret token' }));
  assert.equal(made.status, 200, made.text);
  assert.equal(made.body.bandwidth, 2e9);
  const { read, write } = (await child.get(`/flow/connector/${made.body.id}`)).body;
  assert.deepEqual(read.csp.dune, { asNumber: 64710, duneToken: 'a secret token', vlan: 7, duneCircuit: null });
  assert.deepEqual(write.csp.dune, { asNumber: 64710, token: 'a secret token', vlan: 7 });
  const second = await child.post('/flow/connector/set-registered', { ...input(write.csp.dune), name: 'dune-2' });
  assert.equal(second.body.code, 'NotEnoughSpareProducts');
  const document = (await client.get('/openapi.json')).text;
  assert.match(document, /"dune":\{/);
  assert.match(document, /"duneCircuit"/);
  assert.match(document, /"token":"circuit token"/, 'with its example');

  // Without the file the connector is unreadable, so the service refuses to start.
  service.child.kill('SIGTERM');
  await service.exited;
  await rm(join(project, 'src/connector-kinds/provider-d.ts'));
  const without = start(data, { project, args: ['--database-url', database.url] });
  await assert.rejects(without, /1 connectors of the family providerD, but src\/connector-kinds has no such provider/);
});
