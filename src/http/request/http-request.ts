// A request on its way from the listener to the handler. Each step of the pipeline adds what it found.
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';

export interface HttpRequest {
  id: string;
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  socket: Socket;
  /** The client's address: behind trusted proxies, the last forwarded address that is not one of them. */
  address: string;
  params: Readonly<Record<string, unknown>>;
  query: Readonly<Record<string, unknown>>;
  body: unknown;
  /** The user behind the token, for the access log; empty until the request is authenticated. */
  userId: string;
  /** The organisation of that user, and the child organisation that the request acts for, if it is another one. */
  organisationId: string;
  scopeOrganisationId: string;
  /** Headers of the response whatever its outcome, such as the state of the rate limit. */
  responseHeaders: string[];
  /** Counts further requests against the rate limit of the caller. Set once the caller is known and has a limit. */
  charge: ((requests: number) => void) | undefined;
}
