// The limit: a bare node:https server that sends the same bytes for the same check of the token. What is slower than this is ours.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { openKeyFile } from '../src/host/key-file.ts';

export interface LimitAnswer {
  headers: [string, string][];
  etag: string;
  body: string;
}

/** As the service is told where its data is. */
const data = process.argv[2] ?? '';
const { tokens, answers } = JSON.parse(readFileSync(process.argv[3] ?? '', 'utf8')) as {
  tokens: string[];
  answers: Record<string, LimitAnswer>;
};
const keys = await openKeyFile(join(data, 'keys.json'));
const known = new Set(tokens.map((token) => keys.hash('token', token).toString('latin1')));
const bytes = new Map(
  Object.entries(answers).map(([path, { headers, etag, body }]) => [
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
    const answer = bytes.get(request.url ?? '');
    if (!answer) return void response.writeHead(404).end();
    if (request.headers['if-none-match'] === answer.etag) return void response.writeHead(304, answer.headers).end();
    response.writeHead(200, [...answer.headers, 'content-length', String(answer.body.length)]).end(answer.body);
  },
);
server.listen(0, '127.0.0.1', () => console.log(`"url":"https://localhost:${(server.address() as AddressInfo).port}"`));
process.once('SIGTERM', () => process.exit(0));
