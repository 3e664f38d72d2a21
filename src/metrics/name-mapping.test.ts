import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatIrn } from '../values/irn.ts';
import { encodeLines } from './line-encoder.ts';
import { defaultMapping, parseNameMapping } from './name-mapping.ts';
import { toPointColumns } from './point-columns.ts';
import { fields, quantities } from './quantities.ts';
import type { Subject } from './samples.ts';

const id = '6f2d9a1e-3b7c-4d58-9e21-0a4c8b6d7f13';
const subjectOf = (kind: Subject['kind']): Subject => ({
  kind,
  id,
  organisationId: id,
  organisationCode: 'k3x9m2p7q1za',
});
const lineOf = (mapping = defaultMapping, field: keyof typeof fields = 'latency', kind: Subject['kind'] = 'link') =>
  encodeLines(mapping, toPointColumns([{ subject: subjectOf(kind), ...fields[field], atMs: 1000, value: 5 }]), 'lab');

test('without a mapping file, points are written to the measurement patchbay, never to those of agents', () => {
  const irn = formatIrn('link', 'k3x9m2p7q1za', id);
  assert.equal(lineOf(), `patchbay,irn=${irn},origin=lab latency=5 1000`);
  for (const quantity of quantities)
    for (const type of ['gauge', 'counter'] as const) {
      const last = defaultMapping.sources[quantity].findLast((source) => source.type === type);
      if (last) assert.equal(last.measurement, 'patchbay', `${quantity} as a ${type}`);
    }
});

test('with a mapping file, points are written to the last source of their type', () => {
  const sources = [
    { measurement: 'elsewhere', field: 'rtt' },
    { measurement: 'fabric', field: 'rtt' },
  ];
  const mapping = parseNameMapping('mapping.json', JSON.stringify({ quantities: { latency: sources } }));
  assert.match(lineOf(mapping), /^fabric,irn=\S+,origin=lab rtt=5 1000$/);
});
