// npm run catalogue, as an operator runs it: beside a running service, on both kinds of database, with records in use.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openBesideService } from '../src/bootstrap/foundation.ts';
import type { CatalogueDiff } from '../src/catalogue/diff.ts';
import type { Catalogue } from '../src/catalogue/format.ts';
import { checkImport, exportCatalogue, importCatalogue } from '../src/catalogue/import.ts';
import { demoPassword } from '../src/demo/demo-world.ts';
import { readSettings } from '../src/settings.ts';
import { asOwner } from '../src/store/migrations.ts';
import { type Client, createClient } from './harness/client.ts';
import { freePort } from './harness/debian-postgres.ts';
import { cleanEnvironment, root, start } from './harness/process.ts';
import { basic, createDatabase, fixture } from './harness/service.ts';

const home = await mkdtemp(join(tmpdir(), 'pbcatalogue-'));
after(() => rm(home, { recursive: true, force: true }));
let files = 0;
const newFile = (): string => join(home, `catalogue${++files}.json`);
const fileOf = async (content: unknown): Promise<string> => {
  const file = newFile();
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
};

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}
/** Runs the command on the database of `f`, or on the embedded database of a data folder. */
const command = (words: string[], data: string, ...flags: string[]): Promise<Ended> =>
  new Promise((resolve) => {
    const args = [join(root, 'src/commands/catalogue.ts'), ...words, '--data', data, ...flags];
    const env = cleanEnvironment({ NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/node') });
    const child = execFile(process.execPath, args, { cwd: root, env }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });

const f = await fixture();
const beside = (...words: string[]): Promise<Ended> => command(words, f.data, '--database-url', f.databaseUrl);
const errorsOf = ({ code, stderr }: Ended): string => {
  assert.equal(code, 1, stderr);
  assert.doesNotMatch(stderr, /^ +at /m, 'no stack trace');
  // The first line names the database.
  return stderr.replace(/^ {2}… using .*\n/, '');
};

const current = (): Promise<Catalogue> => asOwner(f.databaseUrl, exportCatalogue);
const put = (catalogue: object): Promise<CatalogueDiff> =>
  asOwner(f.databaseUrl, (client) => importCatalogue(client, catalogue));
/** Every record of the catalogue with id and timestamps. */
const state = async (): Promise<string[]> => {
  const tables = ['cities', 'destinations', 'appliance_models', 'families', 'regions'];
  const parts = tables.map((table) => `select '${table}' as name, t::text as row from ${table} t`).join(' union all ');
  return (await f.owner.query(`${parts} order by 1, 2`)).rows.map(({ name, row }) => `${name} ${row}`);
};

const shipped = await current();
const munich = {
  locode: 'DEMUC',
  name: 'Munich',
  country: 'Germany',
  state: null,
  zipcode: 80331,
  slacity: 'munich',
  region: 'europe',
  latitude: 48.14,
  longitude: 11.58,
  edgeCode: 'MUC1',
};
const toMunich = { family: 'providerA', cspCity: 'Munich', locode: 'DEMUC', edgeCode: 'MUC2' };
const withMunich = {
  ...shipped,
  cities: [...shipped.cities, munich],
  destinations: [...shipped.destinations, toMunich],
};
afterEach(async () => void (await put(shipped)));

const offered = async (client: Client, cspCity: string) =>
  (await client.get('/cloud-gateways-types')).body.cloudGatewayTypes.find(
    (one: { cspCity: string }) => one.cspCity === cspCity,
  );
const admin = await f.as('admin@meridian.example');

describe('beside a running service', () => {
  test('importing an export changes nothing: ids and timestamps stay', async () => {
    const before = await state();
    const file = newFile();
    assert.equal((await beside('export', file)).stdout, `The catalogue was written to ${file}.\n`);
    const done = await beside('import', file);
    assert.equal(done.code, 0, done.stderr);
    assert.match(done.stderr, /^ {2}… using the database \w+ on \S+\n$/, 'nothing is started or migrated');
    assert.match(done.stdout, /cities +0 added, 0 changed, 0 removed, \d+ unchanged\ndestinations +0 added, 0 changed/);
    assert.deepEqual(await state(), before);
    const [printed, again] = await Promise.all([beside('export'), beside('export', file)]);
    assert.equal(printed.stdout, await readFile(file, 'utf8'), 'printed and written are one text');
    assert.match(errorsOf(again), /cannot be written: it exists/);
  });

  test('check reports a new city and destination, import creates them, and the API offers them at once', async () => {
    const file = await fileOf(withMunich);
    const before = await state();
    const checked = await beside('check', file);
    assert.match(checked.stdout, /An import would change:\ncities +1 added, 0 changed, 0 removed/);
    assert.match(checked.stdout, /\n {2}\+ city DEMUC\n {2}\+ destination providerA Munich\n/);
    assert.deepEqual(await state(), before, 'a check changes nothing');
    assert.equal(await offered(admin, 'Munich'), undefined);
    const imported = await beside('import', file);
    assert.equal(imported.stdout, checked.stdout.replace(/.*/, 'The catalogue was replaced:'));
    const { slacity, edgeCode, region } = await offered(admin, 'Munich');
    assert.deepEqual({ slacity, edgeCode, region }, { slacity: 'munich', edgeCode: 'MUC2', region: 'europe' });
    assert.deepEqual(
      (await state()).filter((row) => !row.includes('DEMUC')),
      before,
      'nothing else was touched',
    );
  });

  test('an invalid file changes nothing, and the output lists all mistakes in at most 50 lines', async () => {
    const before = await state();
    const cities = shipped.cities.map((city, index) => ({ ...city, latitude: 91 + index }));
    const lines = errorsOf(await beside('import', await fileOf({ ...withMunich, cities, planets: [] }))).split('\n');
    assert.equal(lines[0], 'Nothing was changed.');
    assert.equal(lines[1], 'The file is invalid:');
    assert.equal(lines[2], 'cities[0].latitude must be a number from -90 to 90, not 91');
    assert.equal(lines[51], `… and ${cities.length + 2 - 49} more`);
    assert.equal(lines.length, 53);
    const short = errorsOf(await beside('check', await fileOf({ ...withMunich, cities: shipped.cities, planets: [] })));
    const place = `destinations[${shipped.destinations.length}].locode`;
    assert.ok(
      short.endsWith(`${place} must be the locode of a city in this file, not "DEMUC"\nplanets is not known\n`),
    );
    assert.deepEqual(await state(), before);
  });
});

describe('a record in use', () => {
  const used = async () => {
    const { rows } = await f.owner.query(
      `select short_name as family, csp_city as "cspCity", connectors.locode, count(*)::int as connectors
       from connectors join destinations on destinations.id = destination_id
       join families on families.id = destinations.family_id
       group by 1, 2, 3 order by 4 desc limit 1`,
    );
    return rows[0] as { family: string; cspCity: string; locode: string; connectors: number };
  };
  const numberOf = async (text: string, value: string): Promise<number> =>
    (await f.owner.query(text, [value])).rows[0].number;
  const counted = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

  test('cannot be removed: the output lists all uses of all organisations at once', async () => {
    const { family, cspCity, locode, connectors } = await used();
    const before = await state();
    const destinations = shipped.destinations.filter((one) => one.locode !== locode);
    const cities = shipped.cities.filter((one) => one.locode !== locode);
    const errors = errorsOf(await beside('import', await fileOf({ cities, destinations, models: [] })));
    assert.match(errors, /^Nothing was changed\.\nRecords in use cannot be removed or moved:\n/);
    const inCity = await numberOf('select count(*)::int as number from connectors where locode = $1', locode);
    assert.match(errors, new RegExp(`The city ${locode} cannot be removed: .*${counted(inCity, 'connector')} use`));
    const uses = `${counted(connectors, 'connector')} use`;
    assert.ok(errors.includes(`The destination ${family} ${cspCity} cannot be removed: ${uses}`), errors);
    for (const { modelName } of shipped.models) {
      const number = await numberOf(
        `select count(*)::int as number from appliances join appliance_models on appliance_models.id = model_id
         where model_name = $1`,
        modelName,
      );
      const line = `The model ${modelName} cannot be removed: ${counted(number, 'appliance')} use`;
      assert.equal(errors.includes(line), number > 0, modelName);
    }
    assert.deepEqual(await state(), before);
  });

  test('cannot move to another city, nor its city to another region; check reports it, too', async () => {
    const { family, cspCity, locode } = await used();
    const before = await state();
    const moved = {
      ...withMunich,
      cities: withMunich.cities.map((one) => (one.locode === locode ? { ...one, region: 'japan' } : one)),
      destinations: withMunich.destinations.map((one) =>
        one.family === family && one.cspCity === cspCity ? { ...one, locode: 'DEMUC' } : one,
      ),
    };
    await assert.rejects(put(moved), new RegExp(`${family} ${cspCity} cannot move from ${locode} to DEMUC: \\d+ conn`));
    await assert.rejects(
      asOwner(f.databaseUrl, (client) => checkImport(client, moved)),
      new RegExp(`city ${locode} cannot change its region from \\S+ to japan: .*use it`),
    );
    assert.deepEqual(await state(), before);
  });

  test('can change otherwise: id and creation time stay, and only changed records are updated', async () => {
    const { family, cspCity, locode } = await used();
    const rows = async () =>
      (
        await f.owner.query(
          `select id, csp_city, edge_code, created_at::text, updated_at::text from destinations order by id`,
        )
      ).rows;
    const edges = async () => (await f.owner.query('select id, edge_code from connectors order by id')).rows;
    const [before, connectorsBefore] = [await rows(), await edges()];
    const plan = await put({
      ...shipped,
      cities: shipped.cities.map((one) => (one.locode === locode ? { ...one, name: 'Renamed' } : one)),
      destinations: shipped.destinations.map((one) =>
        one.family === family && one.cspCity === cspCity ? { ...one, edgeCode: 'NEW9' } : one,
      ),
      models: shipped.models.map((one, index) => (index === 0 ? { ...one, maxCapacity: '400Gbps' } : one)),
    });
    assert.deepEqual(
      [plan.cities, plan.destinations, plan.models].map(({ changed }) => changed.length),
      [1, 1, 1],
    );
    const changed = (await rows()).filter((row, index) => JSON.stringify(row) !== JSON.stringify(before[index]));
    assert.equal(changed.length, 1);
    const old = before.find(({ id }) => id === changed[0].id);
    assert.equal(changed[0].edge_code, 'NEW9');
    assert.equal(changed[0].created_at, old.created_at);
    assert.ok(changed[0].updated_at > old.updated_at);
    assert.deepEqual(await edges(), connectorsBefore, 'connectors stay on the edge they were made on');
  });
});

test('cities can exchange names and edges, and a new city can take those of a removed one', async () => {
  const free = shipped.cities.filter(({ locode }) => ['FIHEL', 'PTLIS', 'ZADUR'].includes(locode));
  const [helsinki, lisbon, durban] = free;
  assert.ok(helsinki && lisbon && durban);
  const taking = { ...munich, slacity: durban.slacity, edgeCode: durban.edgeCode };
  const wanted = {
    ...shipped,
    cities: [
      ...shipped.cities.filter((one) => !free.includes(one)),
      { ...helsinki, slacity: lisbon.slacity, edgeCode: lisbon.edgeCode },
      { ...lisbon, slacity: helsinki.slacity, edgeCode: helsinki.edgeCode },
      taking,
    ],
  };
  const plan = await put(wanted);
  assert.deepEqual([plan.cities.added.length, plan.cities.changed.length, plan.cities.removed.length], [1, 2, 1]);
  const found = (await current()).cities.filter(({ locode }) => ['FIHEL', 'PTLIS', 'DEMUC', 'ZADUR'].includes(locode));
  assert.deepEqual(Object.fromEntries(found.map(({ locode, slacity }) => [locode, slacity])), {
    FIHEL: 'lisbon',
    PTLIS: 'helsinki',
    DEMUC: 'durban',
  });
});

describe('an import during the creation of connectors', () => {
  const { atlas } = f.organisations;
  const customer = admin.with({ scope: atlas });
  let names = 0;
  const create = (cloudDestinationID: string, groupId: string) =>
    customer.post('/flow/connector/set-registered', {
      name: `race-${++names}`,
      groupId,
      csp: { cloudDestinationID, providerA: { asNumber: 64710, providerAAccount: 123456789012 } },
    });
  /** Adds Munich with a product pool, and a group. */
  const prepare = async () => {
    await put(withMunich);
    for (const region of ['europe', 'japan'])
      await admin.put(`/organisations/${atlas}/products/providerA/${region}`, { total: 500 });
    const groupId: string = (await customer.get('/groups')).body[0].id;
    return { groupId, id: (await offered(admin, 'Munich')).id as string };
  };
  const moved = {
    ...withMunich,
    destinations: [...shipped.destinations, { ...toMunich, locode: 'JPTYO', edgeCode: 'NRT1' }],
  };
  /** Every connector is in the city of its destination, and every pool counts its connectors. */
  const assertWhole = async () => {
    const { rows: astray } = await f.owner.query(
      `select connectors.name from connectors join destinations on destinations.id = destination_id
       where connectors.locode <> destinations.locode`,
    );
    assert.deepEqual(astray, []);
    const { rows: wrong } = await f.owner.query(
      `select used, count(connectors.id)::int from product_pools
       left join (connectors join cities on cities.locode = connectors.locode)
         on connectors.organisation_id = product_pools.organisation_id
         and connectors.family_id = product_pools.family_id
         and cities.region_id = product_pools.region_id
       group by product_pools.organisation_id, product_pools.family_id, product_pools.region_id
       having used <> count(connectors.id)`,
    );
    assert.deepEqual(wrong, []);
  };
  const clear = async () => {
    const { rows } = await f.owner.query(`select id from connectors where name like 'race-%'`);
    for (const { id } of rows) assert.equal((await customer.delete(`/flow/connector/${id}`)).status, 200);
  };
  afterEach(clear);
  const waiting = async (type: string, what: string) => {
    const text = `select from pg_stat_activity
      where datname = current_database() and wait_event_type = $1 and query ilike $2`;
    for (const until = Date.now() + 10_000; Date.now() < until; await pause(5))
      if ((await f.owner.query(text, [type, what])).rowCount) return;
    assert.fail(`Nobody waits with ${what}`);
  };

  test('waits for a creation that has read its destination, which is then in use', async () => {
    const { groupId, id } = await prepare();
    const blocker = await f.owner.connect();
    try {
      await blocker.query(`begin; select from product_pools for update`);
      const creation = create(id, groupId);
      await waiting('Lock', '%product_pools%');
      const imports = assert.rejects(
        put(moved),
        /providerA Munich cannot move from DEMUC to JPTYO: 1 connector uses it/,
      );
      await waiting('Lock', 'lock table%');
      await blocker.query('commit');
      assert.equal((await creation).status, 200);
      await imports;
    } finally {
      blocker.release(true);
    }
    await assertWhole();
  });

  test('delays a creation, which then sees the new catalogue', async () => {
    // Slows down the last step of the import.
    await f.owner.query(
      `create function linger() returns trigger language plpgsql as 'begin perform pg_sleep(0.5); return null; end'`,
    );
    await f.owner.query('create trigger linger before insert on appliance_models execute function linger()');
    try {
      for (const [wanted, status] of [
        [shipped, 404],
        [moved, 200],
      ] as const) {
        const { groupId, id } = await prepare();
        const imports = put(wanted);
        await waiting('Timeout', 'insert into appliance_models%');
        const creation = create(id, groupId);
        await imports;
        assert.equal((await creation).status, status);
        await assertWhole();
        await clear();
      }
    } finally {
      await f.owner.query('drop function linger cascade');
    }
  });

  /** Creates four connectors in Munich while an import removes or moves it. */
  const race = async (wanted: Catalogue, delay: number) => {
    const { groupId, id } = await prepare();
    const outcome = pause(delay).then(() =>
      put(wanted).then(
        () => 'done',
        (error: Error) => error.message,
      ),
    );
    const responses = await Promise.all(Array.from({ length: 4 }, () => create(id, groupId)));
    const result = await outcome;
    const made = responses.filter(({ status }) => status === 200).length;
    for (const response of responses) assert.ok([200, 404].includes(response.status), response.text);
    if (result !== 'done')
      assert.match(result, /Munich cannot (be removed|move from DEMUC to JPTYO): \d connectors? use/);
    else if (wanted === shipped) assert.equal(made, 0, 'what vanished was not in use');
    await assertWhole();
    await clear();
  };

  test('leaves no connector at a removed destination, and reads never fail', async () => {
    let isOver = false;
    const read = async (): Promise<number> => {
      let count = 0;
      for (; !isOver; count++) {
        assert.equal((await admin.get('/cloud-gateways-types')).status, 200);
        assert.equal((await customer.get('/connectors')).status, 200);
      }
      return count;
    };
    const reads = read();
    try {
      for (let round = 0; round < 8; round++) await race(round % 2 ? moved : shipped, round * 4);
    } finally {
      isOver = true;
    }
    assert.ok((await reads) > 0);
  });
});

test('the command works on the embedded database, with and without a running service', async () => {
  const data = join(home, 'embedded');
  const running = await start(data);
  const client = createClient(running.url, await running.ca());
  try {
    const done = await command(['import', await fileOf(withMunich)], data);
    assert.equal(done.code, 0, done.stderr);
    assert.match(done.stdout, /cities +1 added, 0 changed, 0 removed/);
    const grant = {
      grant_type: 'password',
      scope: 'everything',
      username: 'admin@meridian.example',
      password: demoPassword,
    };
    const token = (await client.post('/auth/token', grant, { basic })).body.access_token;
    assert.equal((await offered(client.with({ token }), 'Munich')).edgeCode, 'MUC2');
    assert.equal(running.child.exitCode, null, 'the service is not disturbed');
  } finally {
    client.close();
    running.child.kill('SIGTERM');
    await running.exited;
  }
  const stopped = await command(['export'], data);
  assert.ok(stopped.stdout.includes('"DEMUC"'), stopped.stderr);
  assert.ok(!(await readdir(data)).includes('patchbay.lock'), 'the folder was given back');
});

describe('mistakes of the operator', () => {
  test('an invalid command line or file is reported without a stack trace', async () => {
    const mistakes: [words: string[], expected: RegExp][] = [
      [[], /Unknown or missing subcommand\.\nnpm run catalogue -- export \[FILE\]/],
      [['import'], /Unknown or missing subcommand/],
      [['import', join(home, 'nowhere.json')], /nowhere\.json cannot be read: it does not exist/],
      [['check', home], /cannot be read: EISDIR/],
      [['check', await fileOf('cities:')], /is not valid JSON: Unexpected token/],
      [['import', await fileOf('[]'), '--dat', home], /Unknown option '--dat'/],
    ];
    const ends = await Promise.all(mistakes.map(([words]) => beside(...words)));
    for (const [index, [words, expected]] of mistakes.entries())
      assert.match(errorsOf(ends[index] as Ended), expected, words.join(' '));
  });

  test('npm run catalogue -- --help prints the usage', async () => {
    const stdout = await new Promise<string>((resolve, reject) =>
      execFile('npm', ['run', 'catalogue', '--', '--help'], { cwd: root, env: cleanEnvironment() }, (error, text) =>
        error ? reject(error) : resolve(text),
      ),
    );
    assert.match(stdout, /export \[FILE\][\s\S]*check FILE[\s\S]*import FILE[\s\S]*DATABASE_URL/);
  });

  test('another database, key file or version than that of the running service is reported', async () => {
    const opening = async (...flags: string[]) => {
      await using opened = new AsyncDisposableStack();
      const { settings } = readSettings(['--data', f.data, ...flags], {});
      await openBesideService(settings, { step: assert.fail, warning: assert.fail }, opened);
    };
    const mine = ['--database-url', f.databaseUrl];
    await opening(...mine);
    await assert.rejects(opening(), /Process \d+ uses the data folder .* no embedded database .* DATABASE_URL/);
    await assert.rejects(
      opening(...mine, '--keys', join(home, 'none.json')),
      /key file .*none\.json does not exist.*PATCHBAY_KEYS/,
    );
    const other = await fileOf({ version: 1, tokenKey: Buffer.alloc(32, 7).toString('base64') });
    await assert.rejects(opening(...mine, '--keys', other), /belongs to another key file/);
    const nowhere = ['--data', join(home, 'mistyped')];
    await assert.rejects(opening(...nowhere), /There is no Patchbay in the data folder .*mistyped.*npm run setup/);
    assert.ok(!existsSync(join(home, 'mistyped')), 'and none is made');
    const gone = `postgresql://x@127.0.0.1:${await freePort()}/x`;
    await assert.rejects(opening('--database-url', gone), /cannot be reached.*DATABASE_URL/);
    const empty = await createDatabase();
    await assert.rejects(opening('--database-url', empty.url), /is not a Patchbay database/);
    const { rows } = await asOwner(empty.url, (client) =>
      client.query(`select from pg_class where relname ~ 'schema_mig'`),
    );
    assert.equal(rows.length, 0, 'and nothing was made in it');
    await empty.drop();
    const { rows: last } = await f.owner.query(
      'delete from schema_migrations where version = (select max(version) from schema_migrations) returning *',
    );
    await assert.rejects(opening(...mine), /older version \(0\d+_.*is missing\)\. Start the service/);
    const { version, name, checksum } = last[0];
    await f.owner.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', [
      version,
      name,
      checksum,
    ]);
  });
});
