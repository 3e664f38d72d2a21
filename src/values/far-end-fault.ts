/** Faults that a connector's far end can simulate: a wrong BGP key, a wrong AS number, a dead port, too many prefixes. */
export const farEndFaults = ['key', 'asn', 'down', 'flood'] as const;
export type FarEndFault = (typeof farEndFaults)[number];
