import assert from 'node:assert/strict';
import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { startMetricsEndpoint } from './metrics-endpoint.ts';

const scrape = (port: number | undefined, host = 'localhost') =>
  new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: '/metrics', headers: { host } }, async (response) =>
      resolve({ status: response.statusCode, body: await text(response) }),
    ).once('error', reject);
  });

test('concurrent scrapes share a rendering, and a later one has new values', async () => {
  const endpoint = await startMetricsEndpoint(0);
  try {
    let reads = 0;
    endpoint.addGauge('patchbay_test', 'A test', () => ++reads);
    const answers = await Promise.all(Array.from({ length: 40 }, () => scrape(endpoint.port)));
    assert.ok(answers.every(({ status, body }) => status === 200 && body.includes('\npatchbay_test ')));
    // A scrape may arrive after the first rendering has begun.
    assert.ok(reads <= 5, `40 scrapes took ${reads} renderings`);
    const before = reads;
    assert.match((await scrape(endpoint.port)).body, new RegExp(`^patchbay_test ${before + 1}$`, 'm'));
  } finally {
    await endpoint.close();
  }
});

test('a page in a browser cannot read the metrics under a name of its own', async () => {
  const endpoint = await startMetricsEndpoint(0);
  try {
    const statusFor = async (host: string) => (await scrape(endpoint.port, host)).status;
    assert.equal(await statusFor('rebound.example'), 403);
    assert.equal(await statusFor(`127.0.0.1:${endpoint.port}`), 200);
  } finally {
    await endpoint.close();
  }
});
