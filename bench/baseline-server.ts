// The baseline of reads: a plain node:https server that checks the token in the same way and sends the same bytes.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { openKeyFile } from '../src/host/key-file.ts';

export interface BaselineResponse {
  headers: [string, string][];
  etag: string;
  body: string;
}

const data = process.argv[2] ?? '';
const { tokens, responses } = JSON.parse(readFileSync(process.argv[3] ?? '', 'utf8')) as {
  tokens: string[];
  responses: Record<string, BaselineResponse>;
};
const keys = await openKeyFile(join(data, 'keys.json'));
const known = new Set(tokens.map((token) => keys.hash('token', token).toString('latin1')));
const bytes = new Map(
  Object.entries(responses).map(([path, { headers, etag, body }]) => [
    path,
    { headers: headers.flat(), etag, body: Buffer.from(body) },
  ]),
);

const server = createServer(
  {
    cert: readFileSync(join(data, 'tls', 'server.pem')),
    key: readFileSync(join(data, 'tls', 'server.key')),
    minVersion: 'TLSv1.2',
    noDelay: true,
  },
  (request, response) => {
    const token = request.headers.authorization?.slice('Bearer '.length) ?? '';
    if (!known.has(keys.hash('token', token).toString('latin1'))) return void response.writeHead(401).end();
    const found = bytes.get(request.url ?? '');
    if (!found) return void response.writeHead(404).end();
    if (request.headers['if-none-match'] === found.etag) return void response.writeHead(304, found.headers).end();
    response.writeHead(200, [...found.headers, 'content-length', String(found.body.length)]).end(found.body);
  },
);
server.listen(0, '127.0.0.1', () => console.log(`"url":"https://localhost:${(server.address() as AddressInfo).port}"`));
process.once('SIGTERM', () => process.exit(0));
