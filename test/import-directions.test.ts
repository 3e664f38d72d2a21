// The layering rules that the compiler does not check. docs/architecture.md explains them.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { drawFloors } from '../scripts/draw-floors.ts';
import { findCycles, floorOf, importsOf, portal, server, sourceFiles, type Tree } from '../scripts/import-graph.ts';

const root = join(import.meta.dirname, '..');
const maxLooseFiles = 6;

/** A resource imports only resources before it. */
const resourceOrder = [
  'places',
  'audit',
  'roles',
  'tokens',
  'users',
  'organisations',
  'sessions',
  'capacities',
  'tags',
  'groups',
  'appliances',
  'deployments',
  'connectors',
  'links',
  'metrics',
  'capacity-reports',
];

const files = sourceFiles(server.folder);
const imports = importsOf(server.folder);
const read = (file: string): Promise<string> => readFile(join(root, file), 'utf8');
/** `store.ts`, or `secret-store.ts` for a table that has a file of its own. */
const isStore = (file: string): boolean => /[/-]store\.ts$/.test(file);
const resourceOf = (file: string): string | undefined => /^src\/resources\/(\w[\w-]*)\//.exec(file)?.[1];
const holdsStores = (file: string): boolean => /^src\/(resources|reconciler|fabric|metrics|demo)\//.test(file);

function checkFloors(tree: Tree, isCode: (name: string) => boolean): void {
  const names = tree.floors.map(({ name }) => name);
  const present = readdirSync(join(root, tree.folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || isCode(entry.name))
    .map(({ name }) => name)
    // Git does not track empty folders, which a checkout of another branch may leave behind.
    .filter((name) => sourceFiles(tree.folder).some((file) => floorOf(tree, file) === name));
  assert.deepEqual(
    present.filter((name) => !names.includes(name)),
    [],
    `these entries of ${tree.folder} have no floor in scripts/import-graph.ts`,
  );
  assert.deepEqual(
    names.filter((name) => !present.includes(name)),
    [],
    `these floors of ${tree.folder} do not exist`,
  );
  const upward = importsOf(tree.folder).filter(
    ({ from, to }) => names.indexOf(floorOf(tree, to)) < names.indexOf(floorOf(tree, from)),
  );
  assert.deepEqual(upward, [], 'imports go down only');
}

test('every folder of src/ has a floor, and imports go down only', () => {
  checkFloors(server, (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
});

test('every folder of portal/src/ has a floor, and imports go down only', () => {
  checkFloors(portal, (name) => /\.tsx?$/.test(name));
});

test('no files of src/ or portal/src/ import each other in a cycle, type imports included', () => {
  assert.ok(imports.length > 800, `only ${imports.length} imports were found`);
  assert.deepEqual(findCycles(imports), []);
  assert.deepEqual(findCycles(importsOf(portal.folder)), []);
});

test('a cycle is found', () => {
  const edges = (...pairs: string[]) => pairs.map((pair) => ({ from: pair[0] ?? '', to: pair[1] ?? '' }));
  assert.deepEqual(findCycles(edges('ab', 'bc', 'cd')), []);
  assert.deepEqual(findCycles(edges('ab', 'bc', 'cb', 'dd', 'da', 'ec')), [['b', 'c']]);
  assert.deepEqual(findCycles(edges('ab', 'bc', 'ca')), [['a', 'b', 'c']]);
});

test(`src/ holds at most ${maxLooseFiles} files outside folders`, () => {
  const loose = files.filter((file) => dirname(file) === 'src');
  assert.ok(loose.length <= maxLooseFiles, loose.join(', '));
});

test('the drawing of the floors in docs/ shows the imports of today', async () => {
  assert.equal(await read('docs/floors.svg'), drawFloors(), 'run npm run floors');
});

test('every resource has a place in the order and imports only earlier ones', () => {
  for (const { from, to } of imports) {
    const own = resourceOf(from);
    const other = resourceOf(to);
    if (own) assert.ok(resourceOrder.includes(own), `${own} is not in the order`);
    if (own && other && other !== own)
      assert.ok(resourceOrder.indexOf(other) < resourceOrder.indexOf(own), `${from} imports ${to}`);
  }
});

test('rules are pure: they import no store, no database and no operation', () => {
  for (const { from, to } of imports)
    if (from.endsWith('/rules.ts'))
      assert.ok(!/store\.ts$|database\.ts$|operations\.ts$|src\/jobs|src\/mail/.test(to), `${from} imports ${to}`);
});

test('only store files contain SQL, and each resource writes only its own tables', async () => {
  const owners: Record<string, string> = {
    audit: 'audit',
    roles: 'roles',
    tokens: 'tokens',
    session_families: 'tokens',
    users: 'users',
    logins: 'users',
    login_networks: 'users',
    organisations: 'organisations',
    addresses: 'organisations',
    invoices: 'organisations',
    api_clients: 'sessions',
    product_pools: 'capacities',
    subscribed_capacities: 'capacities',
    tags: 'tags',
    groups: 'groups',
    allocations: 'groups',
    appliances: 'appliances',
    connectors: 'connectors',
    connector_secrets: 'connectors',
    connector_address_blocks: 'connectors',
    routers: 'connectors',
    links: 'links',
    deployments: 'deployments',
    errands: 'deployments',
  };
  for (const file of files.filter(resourceOf)) {
    for (const [, table = ''] of (await read(file)).matchAll(/(?:insertInto|updateTable|deleteFrom)\('(\w+)'\)/g)) {
      assert.equal(owners[table], resourceOf(file), `${file} writes ${table}`);
    }
  }
  for (const file of files.filter((name) => holdsStores(name) && !isStore(name)))
    assert.ok(!/selectFrom\(|insertInto\(|\bsql(<[^`]*>)?`/.test(await read(file)), `${file} contains SQL`);
});

test('every store function takes the database and the scope first', async () => {
  let count = 0;
  for (const file of files.filter((name) => holdsStores(name) && isStore(name))) {
    const heads = (await read(file)).matchAll(
      /export (?:async )?(?:function (\w+)|const (\w+) = (?:async )?)\(([^)]*)\)/g,
    );
    for (const [, named, constant, parameters = ''] of heads) {
      count++;
      // Tokens are written for their holder, and a role is read by id for a caller who acts for a child organisation.
      const first =
        /^ ?database: Database, (_?scope: (Scope|AllTenants)|holder: Holder|id: string)|^(kind: \w+|address: string)$/;
      assert.match(parameters.replace(/\s+/g, ' '), first, `${file}: ${named ?? constant}`);
    }
  }
  assert.ok(count > 30, `only ${count} store functions were found`);
});

test('brand words occur in one module', async () => {
  for (const file of files.filter((name) => name !== 'src/brand-file.ts'))
    assert.ok(!/intercloud|\baws|azure|\bgcp\b/i.test(await read(file)), file);
});

test('the portal uses the API through client/ alone, and client/ imports nothing of the project', async () => {
  const parts = ['portal/src', 'client'];
  let count = 0;
  for (const part of parts)
    for (const name of await readdir(join(root, part), { recursive: true })) {
      if (!/\.tsx?$/.test(name) || name.includes('node_modules') || name.endsWith('.d.ts')) continue;
      count++;
      for (const [, target = ''] of (await read(join(part, name))).matchAll(/(?:from|import\() ?'(\.[^']+)'/g)) {
        const path = relative(root, join(root, part, dirname(name), target));
        assert.ok(path.startsWith(part), `${part}/${name} imports ${path}`);
      }
    }
  assert.ok(count > 100, `only ${count} files were read`);
});
