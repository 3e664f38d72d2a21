// Runs the documented walks. (lab.test.ts runs the life of a link on the lab fabric.)
import { test } from 'node:test';
import { walk } from './harness/documented-walk.ts';
import { fixture } from './harness/service.ts';

const f = await fixture();

for (const name of ['identity-walk.md', 'inventory-walk.md'])
  test(`every command of docs/${name} responds as documented`, { timeout: 600_000 }, () => walk(f, name));
