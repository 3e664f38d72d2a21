// The baseline of writes: each request is one durable insert of a row like a connector's over pg, and nothing else.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.argv[2] ?? '', max: 32 });
await pool.query(`create table if not exists bench_baseline (
  id uuid primary key default gen_random_uuid(),
  organisation_id uuid not null,
  group_id uuid not null,
  name text not null,
  details jsonb not null,
  created_at timestamptz not null default now(),
  unique (organisation_id, name)
)`);
const details = JSON.stringify({ asNumber: 64710, providerAAccount: 42, platformAsNumber: 64512 });
const owner = randomUUID();

const server = createServer(async (_, response) => {
  const { rows } = await pool.query({
    name: 'insert',
    text: 'insert into bench_baseline (organisation_id, group_id, name, details) values ($1, $2, $3, $4) returning id',
    values: [owner, owner, `made-${randomUUID()}`, details],
  });
  const body = JSON.stringify(rows[0]);
  response.writeHead(200, { 'content-length': Buffer.byteLength(body) }).end(body);
});
server.listen(0, '127.0.0.1', () => console.log(`"url":"http://localhost:${(server.address() as AddressInfo).port}"`));
process.once('SIGTERM', () => process.exit(0));
