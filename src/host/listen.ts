import { createServer, type Server } from 'node:net';
import { OperatorError } from '../errors/operator-error.ts';

export interface ListenAddress {
  host: string;
  port: number;
  /** The settings that it comes from. */
  setting: string;
}

function describe({ code, message }: NodeJS.ErrnoException, { host, port }: ListenAddress): string {
  switch (code) {
    case 'EADDRINUSE':
      return `another program uses port ${port} on ${host}`;
    case 'EACCES':
      return `this account may not listen on port ${port}`;
    case 'EADDRNOTAVAIL':
      return `${host} is not an address of this machine`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the name ${host} has no address`;
    default:
      return message;
  }
}

export function listen(server: Server, address: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) =>
      reject(new OperatorError(`Cannot listen: ${describe(error, address)}. Choose another with ${address.setting}.`)),
    );
    server.listen(address.port, address.host, resolve);
  });
}

/** Checks all of them together. Another program may still take one before the service listens on it. */
export async function probeAddresses(addresses: ListenAddress[]): Promise<void> {
  const servers: Server[] = [];
  try {
    for (const address of addresses) {
      const server = createServer();
      await listen(server, address);
      servers.push(server);
    }
  } finally {
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}
