// The second wall alone: every table × verb × tenant, and the whole API while the application's own condition is taken away.
import assert from 'node:assert/strict';
import { startFixture } from '../test/harness/service.ts';
import { removeFilter } from './row-security/unfiltered.ts';
import { settle } from './tenant-fixture.ts';
import { assailRecords } from './tenants.ts';

/** The API with conditions on the organisation that always hold: foreign is absent all the same. */
export async function assailUnfiltered(size: 'small' | 'full'): Promise<{ requests: number; opened: number }> {
  const opening = removeFilter();
  try {
    const f = await startFixture();
    try {
      const requests = await assailRecords(f, size);
      const opened = opening.opened();
      assert.ok(opened > requests / 10, 'the conditions were not taken away');
      return { requests, opened };
    } finally {
      await f.close();
    }
  } finally {
    opening.close();
  }
}

/** That somebody would notice: with both walls down, a canary crosses. */
export async function seeCrossing(): Promise<void> {
  const opening = removeFilter({ secondWall: true });
  try {
    const f = await startFixture();
    try {
      const victim = await settle(f, 'boreal', f.organisations.boreal, 'admin@boreal.example');
      const { text } = await (await f.as('admin@atlas.example')).get('/groups?limit=100');
      assert.ok(text.includes(victim.canary), 'both walls are down, and nothing crosses: the first was not taken away');
    } finally {
      await f.close();
    }
  } finally {
    opening.close();
  }
}
