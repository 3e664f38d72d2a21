// A collector for tests: an HTTP server that decodes the traces that arrive (OTLP over HTTP with Protocol Buffers).
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentId: string;
  traceState: string;
  name: string;
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  kind: number;
  attributes: Record<string, string | number>;
  /** 2: error. */
  status: number;
  resource: Record<string, string | number>;
}

type Field = Buffer | bigint;
type Message = Map<number, Field[]>;

/** Reads the fields of a message, by number. */
function decodeMessage(bytes: Buffer): Message {
  const fields: Message = new Map();
  let at = 0;
  const readVarint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const key = Number(readVarint());
    const [field, wireType] = [key >> 3, key & 7];
    const value =
      wireType === 0 ? readVarint() : wireType === 1 ? take(8) : wireType === 2 ? take(Number(readVarint())) : take(4);
    fields.set(field, [...(fields.get(field) ?? []), value]);
  }
  return fields;
}

const buffers = (message: Message, field: number): Buffer[] => (message.get(field) ?? []) as Buffer[];
const messages = (message: Message, field: number): Message[] => buffers(message, field).map(decodeMessage);
const text = (message: Message, field: number): string => buffers(message, field)[0]?.toString('utf8') ?? '';
const hex = (message: Message, field: number): string => buffers(message, field)[0]?.toString('hex') ?? '';
const integer = (message: Message | undefined, field: number): number => Number(message?.get(field)?.[0] ?? 0);

function attributesOf(message: Message, field: number): Record<string, string | number> {
  const pairs = messages(message, field).map((pair) => {
    const [value = new Map()] = messages(pair, 2);
    return [text(pair, 1), value.has(1) ? text(value, 1) : integer(value, 3)] as const;
  });
  return Object.fromEntries(pairs);
}

function decodeSpans(body: Buffer): ReceivedSpan[] {
  return messages(decodeMessage(body), 1).flatMap((resourceSpans) => {
    const [resourceMessage = new Map()] = messages(resourceSpans, 1);
    const resource = attributesOf(resourceMessage, 1);
    const spans = messages(resourceSpans, 2).flatMap((scopeSpans) => messages(scopeSpans, 2));
    return spans.map((span) => ({
      traceId: hex(span, 1),
      spanId: hex(span, 2),
      traceState: text(span, 3),
      parentId: hex(span, 4),
      name: text(span, 5),
      kind: integer(span, 6),
      attributes: attributesOf(span, 9),
      status: integer(messages(span, 15)[0], 3),
      resource,
    }));
  });
}

export interface OtlpReceiver {
  url: string;
  spans: ReceivedSpan[];
  /** Everything that arrived, as it arrived. */
  bodies: Buffer[];
  headers: IncomingHttpHeaders[];
  requests: number;
  /** `hang` never answers. */
  behaviour: 'accept' | 'refuse' | 'hang';
  close(): void;
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const receive = (path: string, body: Buffer, headers: IncomingHttpHeaders, response: ServerResponse): void => {
    receiver.requests++;
    if (receiver.behaviour === 'hang') return;
    if (receiver.behaviour === 'refuse' || path !== '/v1/traces') return void response.writeHead(403).end('refused');
    receiver.headers.push(headers);
    receiver.bodies.push(body);
    receiver.spans.push(...decodeSpans(body));
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => receive(request.url ?? '', Buffer.concat(chunks), request.headers, response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: OtlpReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    bodies: [],
    headers: [],
    requests: 0,
    behaviour: 'accept',
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return receiver;
}
