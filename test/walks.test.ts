// The documented walks are run as they stand. (The life of a link once more on the lab: lab.test.ts.)
import { test } from 'node:test';
import { walk } from './harness/documented-walk.ts';
import { fixture } from './harness/service.ts';

const f = await fixture();

for (const name of ['identity-walk.md', 'inventory-walk.md'])
  test(`every command of docs/${name} answers as the page says`, { timeout: 600_000 }, () => walk(f, name));
