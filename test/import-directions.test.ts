// The house rules that a compiler does not check.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');
const order = [
  'deployments',
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
  'connectors',
  'links',
  'metric-queries',
  'capacity-reports',
];
const files = (await readdir(join(root, 'src'), { recursive: true }))
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => join('src', name));
const imports = new Map<string, string[]>();
for (const file of files) {
  const text = await readFile(join(root, file), 'utf8');
  const found = [...text.matchAll(/(?:from|import\() ?'(\.[^']+)'/g)].map(([, target]) =>
    relative(root, join(root, dirname(file), target ?? '')),
  );
  imports.set(file, found);
}
/** `store.ts`, or `secret-store.ts` where a table beside the main one has a file of its own. */
const isStore = (file: string): boolean => /[/-]store\.ts$/.test(file);
const resourceOf = (file: string): string | undefined => /^src\/resources\/(\w[\w-]*)\//.exec(file)?.[1];

test('every resource has its place in the order, and imports only earlier ones', () => {
  for (const [file, targets] of imports) {
    const own = resourceOf(file);
    if (!own) continue;
    assert.ok(order.includes(own), `${own} is not in the order`);
    for (const target of targets) {
      const other = resourceOf(target);
      if (other && other !== own) assert.ok(order.indexOf(other) < order.indexOf(own), `${file} imports ${target}`);
    }
  }
});

test('the protocol knows no resource, and the store nothing above it', () => {
  for (const [file, targets] of imports) {
    for (const target of targets) {
      if (file.startsWith('src/http/')) assert.ok(!target.startsWith('src/resources/'), `${file} imports ${target}`);
      if (file.startsWith('src/connector-kinds/'))
        assert.ok(!/^src\/(http|resources|store|jobs|mail|demo)\//.test(target), `${file} imports ${target}`);
      if (file.startsWith('src/store/'))
        assert.ok(!/^src\/(http|resources|jobs|mail|demo)\//.test(target), `${file} imports ${target}`);
    }
  }
});

test('rules wait for nothing: they import no store, no database and no server', () => {
  for (const [file, targets] of imports)
    if (file.endsWith('/rules.ts'))
      for (const target of targets)
        assert.ok(
          !/store\.ts$|database\.ts$|operations\.ts$|src\/jobs|src\/mail/.test(target),
          `${file} imports ${target}`,
        );
});

test('queries of resources are written in their store files, and each writes only its own tables', async () => {
  const owners: Record<string, string> = {
    audit: 'audit',
    roles: 'roles',
    tokens: 'tokens',
    session_families: 'tokens',
    users: 'users',
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
    routers: 'connectors',
    links: 'links',
  };
  for (const file of files.filter((name) => resourceOf(name))) {
    const text = await readFile(join(root, file), 'utf8');
    for (const [, table = ''] of text.matchAll(/(?:insertInto|updateTable|deleteFrom)\('(\w+)'\)/g)) {
      // Sign-in bookkeeping is shared by the two resources that speak of it: users reset it, sessions count.
      const allowed = table === 'logins' ? ['users', 'sessions'] : [owners[table]];
      assert.ok(allowed.includes(resourceOf(file)), `${file} writes ${table}`);
    }
  }
  for (const file of files.filter(
    (name) => /^src\/(resources|reconciler|fabric|metrics|demo)\//.test(name) && !isStore(name),
  ))
    assert.ok(!/selectFrom\(|insertInto\(|sql`/.test(await readFile(join(root, file), 'utf8')), `${file} holds SQL`);
});

test('every store function takes the database and the scope first', async () => {
  let seen = 0;
  for (const file of files.filter(
    (name) => /^src\/(resources|reconciler|fabric|metrics|demo)\//.test(name) && isStore(name),
  )) {
    const text = await readFile(join(root, file), 'utf8');
    const heads = text.matchAll(/export (?:async )?(?:function (\w+)|const (\w+) = (?:async )?)\(([^)]*)\)/g);
    for (const [, named, constant, parameters = ''] of heads) {
      seen++;
      // Tokens are written for their holder, and a role is looked up by id for whoever acts for a child. A column asks nothing.
      const first = /^ ?database: Database, (_?scope: (Scope|Everywhere)|holder: Holder|id: string)|^kind: Tagged$/;
      assert.match(parameters.replace(/\s+/g, ' '), first, `${file}: ${named ?? constant}`);
    }
  }
  assert.ok(seen > 30, `only ${seen} store functions were looked at`);
});

test('brand words stay in one module', async () => {
  for (const file of files.filter((name) => name !== 'src/brand.ts')) {
    const text = await readFile(join(root, file), 'utf8');
    assert.ok(!/intercloud|\baws|azure|\bgcp\b/i.test(text), file);
  }
});

test('the portal speaks through the client alone, and the client knows nobody', async () => {
  const parts = ['portal/src', 'client'];
  let seen = 0;
  for (const part of parts)
    for (const name of await readdir(join(root, part), { recursive: true })) {
      if (!/\.tsx?$/.test(name) || name.includes('node_modules') || name.endsWith('.d.ts')) continue;
      seen++;
      const text = await readFile(join(root, part, name), 'utf8');
      for (const [, target = ''] of text.matchAll(/(?:from|import\() ?'(\.[^']+)'/g)) {
        const path = relative(root, join(root, part, dirname(name), target));
        assert.ok(path.startsWith(part), `${part}/${name} imports ${path}`);
      }
    }
  assert.ok(seen > 100, `only ${seen} files were looked at`);
});
