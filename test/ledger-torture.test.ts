// The ledger of the load generators detects lost, changed and unexpected records.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ledger, matchesState } from '../torture/ledger.ts';
import type { ApiResponse } from './harness/client.ts';

const isEqual = matchesState<string>((found, acknowledged) => found === acknowledged);
const respond =
  (status: number, body: object = {}) =>
  async (): Promise<ApiResponse> => ({
    status,
    headers: {},
    text: JSON.stringify(body),
    body,
  });
const cut = async (): Promise<ApiResponse> => {
  throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
};
const create = (ledger: Ledger, id: string) =>
  ledger.create({ kind: 'group', name: `name ${id}` }, 'first', respond(201, { id }));
const found = (id: string, state = 'first') => ({ id, name: `name ${id}`, state });

test('missing, changed, undeleted and unexpected records are reported', async () => {
  const ledger = new Ledger();
  for (const id of ['kept', 'missing', 'changed']) await create(ledger, id);
  const deleted = await create(ledger, 'deleted');
  assert.ok(deleted);
  await ledger.delete([deleted], respond(204));
  const records = [found('kept'), found('changed', 'second'), found('deleted'), found('unexpected')];
  const { lost, unexpected } = ledger.compare('group', records, isEqual);
  assert.deepEqual(
    lost.map((line) => line.split(' ')[2]),
    ['missing', 'changed', 'deleted'],
  );
  assert.deepEqual(unexpected, [found('unexpected')]);
});

test('an interrupted write is applied or not, and nothing else', async () => {
  const updateInterrupted = async (state: string | undefined) => {
    const ledger = new Ledger();
    const entry = await create(ledger, 'a');
    assert.ok(entry);
    await ledger.update(entry, 'second', cut);
    const { lost } = ledger.compare('group', state === undefined ? [] : [found('a', state)], isEqual);
    return { lost: lost.length, applied: ledger.interruptedButApplied, next: entry.acknowledged.at(-1)?.state };
  };
  assert.deepEqual(await updateInterrupted('first'), { lost: 0, applied: 0, next: 'first' });
  assert.deepEqual(await updateInterrupted('second'), { lost: 0, applied: 1, next: 'second' });
  assert.equal((await updateInterrupted('half')).lost, 1);
  assert.equal((await updateInterrupted(undefined)).lost, 1);
  const ledger = new Ledger();
  assert.equal(await ledger.create({ kind: 'group', name: 'name b' }, 'first', cut), undefined);
  assert.deepEqual(ledger.compare('group', [found('b')], isEqual), { lost: [], unexpected: [] });
  assert.equal(ledger.compare('group', [], isEqual).lost.length, 1, 'an applied creation must not disappear');
});

test('a refusal fails unless it is allowed', async () => {
  const refuse = respond(409, { code: 'NameTaken' });
  await assert.rejects(new Ledger().create({ kind: 'group', name: 'x' }, 'first', refuse), { code: 'ERR_ASSERTION' });
  const ledger = new Ledger(['409 NameTaken']);
  assert.equal(await ledger.create({ kind: 'group', name: 'x' }, 'first', refuse), undefined);
  assert.equal(ledger.entries.size, 0);
});

test('a snapshot contains what was acknowledged before and not changed since', async () => {
  const ledger = new Ledger();
  const [unchanged, changed] = [await create(ledger, 'unchanged'), await create(ledger, 'changed')];
  assert.ok(unchanged && changed);
  const finish = ledger.snapshot();
  await ledger.update(changed, 'second', respond(200));
  await create(ledger, 'later');
  const expected = finish();
  assert.deepEqual([expected.of('group').map(({ id }) => id), expected.acknowledged], [['unchanged'], 1]);
});
