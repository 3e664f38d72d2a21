// The control protocol of the relay (delay-relay.ts): one line of JSON per request and response.
import { connect } from 'node:net';
import { LabError } from './programs.ts';

/** Forwarding entries by VXLAN network identifier: the identifier at the other end, the delay and the loss. */
export type ForwardingTable = Map<number, { to: number; delayMs: number; lossPercent: number }>;

type EntryTuple = [vni: number, to: number, delayMs: number, lossPercent: number];
export interface RelayRequest {
  put?: EntryTuple[];
  drop?: number[];
}
export type RelayResponse = EntryTuple[];

const timeoutMs = 2000;

/** Sends a request and returns the forwarding table after it. */
export function requestRelay(socket: string, request: RelayRequest): Promise<ForwardingTable> {
  return new Promise((resolve, reject) => {
    const connection = connect(socket, () => connection.write(`${JSON.stringify(request)}\n`));
    const fail = (reason: string) => {
      clearTimeout(timer);
      connection.destroy();
      reject(new LabError(`The relay of the legs does not answer: ${reason}`));
    };
    const timer = setTimeout(() => fail('timeout'), timeoutMs);
    let text = '';
    connection.setEncoding('utf8');
    connection.on('data', (chunk: string) => {
      text += chunk;
      if (!text.endsWith('\n')) return;
      clearTimeout(timer);
      connection.destroy();
      const entries = JSON.parse(text) as RelayResponse;
      resolve(new Map(entries.map(([vni, to, delayMs, lossPercent]) => [vni, { to, delayMs, lossPercent }])));
    });
    connection.on('error', (error) => fail(error.message));
  });
}
