#!/usr/bin/env node
// Collects the capacity that the children of a reseller use over the public API, as a billing system would, and compares
// it with the regional report.
//
//   NODE_EXTRA_CA_CERTS=data/tls/ca.pem node examples/used-capacity.mjs [URL] [--days N] [--json]
//
// API_USER, API_PASSWORD and API_CLIENT (id:secret) are the credentials; the default is the admin of the demo world's
// reseller. The exit code is 1 if both sums differ.
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { days: { type: 'string', default: '1' }, json: { type: 'boolean', default: false } },
});
const [url = 'https://localhost:8443'] = positionals;
const days = Number(values.days);
if (!Number.isInteger(days) || days < 1 || days > 366) throw new Error('--days must be a whole number from 1 to 366');
const {
  API_USER: username = 'admin@meridian.example',
  API_PASSWORD: password = 'patchbay demo passphrase',
  API_CLIENT: client = 'demo:demo-client-secret',
} = process.env;

async function call(path, options = {}) {
  const response = await fetch(`${url}${path}`, options).catch((error) => {
    console.error(`${url} cannot be reached: ${error.cause?.message ?? error.message}. Give the URL of the service.`);
    process.exit(1);
  });
  const body = await response.json();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${body.error}`);
  return { body, headers: response.headers };
}

const signedIn = await call('/auth/token', {
  method: 'POST',
  headers: { authorization: `Basic ${btoa(client)}`, 'content-type': 'application/json' },
  body: JSON.stringify({ grant_type: 'password', scope: 'everything', username, password }),
});
const authorization = `Bearer ${signedIn.body.access_token}`;
const get = async (path, scope) =>
  (await call(path, { headers: { authorization, ...(scope ? { 'service-scope': scope } : {}) } })).body;

/** Every page of a list. */
async function all(path, scope) {
  const items = [];
  for (let page = 1; ; page++) {
    const some = await get(`${path}?limit=100&page=${page}`, scope);
    items.push(...some);
    if (some.length < 100) return items;
  }
}

// One period for all organisations, aligned to five minutes.
const end = new Date(Math.floor(Date.now() / 300_000) * 300_000 - 300_000);
const range = `start-d=${new Date(end - days * 86_400_000).toISOString()}&end-d=${end.toISOString()}`;

// 1. The caller's organisation. 2. Its children. 3. Their groups. 4. The usage of each group in each region.
const me = await get('/me/info');
const children = [];
for (let offset = 0; ; offset += 100) {
  const some = (await get(`/organisations/${me.organisationId}?limit=100&offset=${offset}`)).children;
  children.push(...some);
  if (some.length < 100) break;
}
const used = new Map();
for (const child of children)
  for (const group of await all('/groups', child.id))
    for (const { name: region } of await get(`/metrics/query/irn/${group.irn}`, child.id)) {
      // A query of one day has a point for each five minutes.
      let [sum, points] = [0, 0];
      for (let day = days; day > 0; day--) {
        const [from, to] = [new Date(end - day * 86_400_000), new Date(end - (day - 1) * 86_400_000)];
        const query = `start-d=${from.toISOString()}&end-d=${to.toISOString()}&interv=5`;
        const { Results } = await get(`/metrics/query/irn/${group.irn}/${region}/run?${query}`, child.id);
        for (const [, bps] of Results[0].Series?.[0].values ?? []) {
          sum += bps;
          points++;
        }
      }
      const key = `${region} ${child.id}`;
      used.set(key, (used.get(key) ?? 0) + (points ? sum / points : 0));
    }

const rows = [];
for (const region of [...new Set([...used.keys()].map((key) => key.split(' ')[0]))]) {
  const report = await get(`/metrics/capacities/${region}?${range}`);
  for (const { organizationID, name, regionalMetrics } of report.childrenOrganizations) {
    const [{ subscribed, allocated, used: reported }] = regionalMetrics;
    rows.push({ region, name, subscribed, allocated, walked: used.get(`${region} ${organizationID}`) ?? 0, reported });
  }
}

const differing = rows.filter(({ walked, reported }) => Math.abs(walked - reported) > 1e-6 * Math.max(1, reported));
if (values.json) console.log(JSON.stringify(rows));
else {
  const mbps = (bps) => (bps / 1e6).toFixed(1);
  console.log(`Used capacity, mean of ${days} day(s) until ${end.toISOString()}, in Mbit/s`);
  console.table(
    rows
      .filter(({ subscribed, walked }) => subscribed || walked)
      .map(({ region, name, subscribed, allocated, walked, reported }) => ({
        region,
        organisation: name,
        subscribed: mbps(subscribed),
        allocated: mbps(allocated),
        'used (walk)': mbps(walked),
        'used (report)': mbps(reported),
      })),
  );
}
for (const { region, name } of differing) console.error(`The walk and the report differ for ${name} in ${region}.`);
if (differing.length) process.exitCode = 1;
