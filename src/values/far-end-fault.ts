/** Faults that operators can give to a far end: wrong BGP key, wrong AS number, dead port, too many prefixes. */
export const farEndFaults = ['key', 'asn', 'down', 'flood'] as const;
export type FarEndFault = (typeof farEndFaults)[number];
