// How long audit entries are kept at least.

/** The operator cannot delete younger entries, so that an intruder on the shell cannot erase recent traces by a command. */
export const minAgeDays = 30;

/** Entries before this time may be deleted. */
export const latestPruneTime = (now: Date): Date => new Date(now.getTime() - minAgeDays * 86_400_000);
