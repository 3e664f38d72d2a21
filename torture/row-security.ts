// Row-level security alone: the whole API while statements have lost their condition on the organisation.
import assert from 'node:assert/strict';
import { startFixture } from '../test/harness/service.ts';
import { removeFilter } from './row-security/unfiltered.ts';
import { prepareTenant } from './tenant-fixture.ts';
import { attackRecordsOnly } from './tenants.ts';

/** Attacks the API without conditions on the organisation: records of other tenants still look missing. */
export async function attackWithoutFilter(size: 'small' | 'full'): Promise<{ requests: number; rewritten: number }> {
  const removal = removeFilter();
  try {
    const f = await startFixture();
    try {
      const requests = await attackRecordsOnly(f, size);
      const rewritten = removal.rewritten();
      assert.ok(rewritten > requests / 10, 'the conditions were not removed');
      return { requests, rewritten };
    } finally {
      await f.close();
    }
  } finally {
    removal.undo();
  }
}

/** Verifies that the attack detects leaks: without row-level security too, a canary leaks. */
export async function verifyDetection(): Promise<void> {
  const removal = removeFilter({ rowSecurity: true });
  try {
    const f = await startFixture();
    try {
      const victim = await prepareTenant(f, 'boreal', f.organisations.boreal, 'admin@boreal.example');
      const { text } = await (await f.as('admin@atlas.example')).get('/groups?limit=100');
      assert.ok(text.includes(victim.canary), 'no data leaks without both checks: the condition was not removed');
    } finally {
      await f.close();
    }
  } finally {
    removal.undo();
  }
}
