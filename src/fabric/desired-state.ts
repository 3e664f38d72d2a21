// What the fabric of one group should hold: a value, made from the records and from nothing else. Numbers are small, unique over the
// whole service and never given twice; drivers make their names of them, so that nothing a customer wrote ever names a thing in a fabric.
import type { FarEndFault } from '../values/far-end-fault.ts';
import type { Cidr } from '../values/ip.ts';

/** One end of a BGP session, as the kind of the connector says. */
export interface Session {
  /** The platform's side and the far end's: two hosts of one subnet. */
  local: Cidr;
  remote: Cidr;
  localAs: number;
  remoteAs: number;
  /** 6 to 80 printable ASCII characters, of which any may be a quote or a backslash. */
  key: string | undefined;
  /** Multi-exit discriminator of what is announced to the far end. */
  med: number | undefined;
  localPreference: number;
}

export interface Router {
  number: number;
  edgeCode: string;
}

/** A connector in the fabric: a port of its router, and the far end that it leads to. */
export interface ConnectorSpec {
  connectorId: string;
  number: number;
  /** Of its router. */
  router: number;
  /** One, or two for providers that want a second way. */
  sessions: Session[];
  bandwidthBps: number;
  /** More than these from the far end end the session. */
  prefixLimit: number;
  farEnd: {
    /** What it announces. It answers on the first host of each. */
    prefixes: Cidr[];
    fault: FarEndFault | undefined;
  };
}

/** A link in the fabric: routes cross between two jacks, and nothing else does. */
export interface LinkSpec {
  linkId: string;
  number: number;
  /** Numbers of jacks. */
  from: number;
  to: number;
  /** One way, from the distance between the two cities and what was put on top on purpose; none within a router. */
  delayMs: number;
  /** Packets that its leg loses on purpose, one way. */
  lossPercent?: number;
}

export interface DesiredState {
  groupId: string;
  routers: Router[];
  connectors: ConnectorSpec[];
  links: LinkSpec[];
}

export const emptyState = (groupId: string): DesiredState => ({ groupId, routers: [], connectors: [], links: [] });
