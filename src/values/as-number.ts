// Autonomous system numbers.

/** Reserved AS numbers (RFC 7607, 6793, 7300). */
export const reservedAsNumbers = [0, 23456, 65535, 4294967295];
export const highestAsNumber = 4294967294;
