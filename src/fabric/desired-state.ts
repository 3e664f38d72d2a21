// The desired state of one group in the fabric, built from the group's records alone. Numbers are unique in the service
// and never reused. Drivers derive all resource names from them, so no customer input ever names a resource in a
// fabric.
import type { FarEndFault } from '../values/far-end-fault.ts';
import type { Cidr } from '../values/ip.ts';

/** A BGP session of a connector; the connector's kind decides its values. */
export interface Session {
  /** The addresses of the platform and of the far end: two hosts of one subnet. */
  local: Cidr;
  remote: Cidr;
  localAs: number;
  remoteAs: number;
  /** MD5 key: 6 to 80 printable ASCII characters, quotes and backslashes included. */
  key: string | undefined;
  /** Multi-exit discriminator of the routes announced to the far end. */
  med: number | undefined;
  localPreference: number;
}

export interface Router {
  number: number;
  edgeCode: string;
}

/** A connector in the fabric: a port on its router, and the far end behind that port. */
export interface ConnectorSpec {
  connectorId: string;
  number: number;
  /** Number of its router. */
  router: number;
  /** One session, or two for providers that require redundancy. */
  sessions: Session[];
  bandwidthBps: number;
  /** The session is shut down when the far end announces more prefixes. */
  prefixLimit: number;
  farEnd: {
    /** The prefixes it announces. It answers on the first host of each. */
    prefixes: Cidr[];
    fault: FarEndFault | undefined;
  };
}

/** A link in the fabric: the only path on which routes cross between two connectors. */
export interface LinkSpec {
  linkId: string;
  number: number;
  /** Connector numbers. */
  from: number;
  to: number;
  /** One way: propagation delay between the two cities plus any configured impairment; 0 within a router. */
  delayMs: number;
  /** Configured packet loss, one way. */
  lossPercent?: number;
}

export interface DesiredState {
  groupId: string;
  routers: Router[];
  connectors: ConnectorSpec[];
  links: LinkSpec[];
}

export const emptyState = (groupId: string): DesiredState => ({ groupId, routers: [], connectors: [], links: [] });
