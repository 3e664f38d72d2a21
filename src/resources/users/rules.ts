import type { Contact, Preference } from '../../store/tables.ts';

/** Addresses are one person's whatever their case. */
export const emailKey = (email: string): string => email.normalize('NFKC').toLowerCase();

export interface UserChange {
  email?: string;
  firstName?: string | null;
  lastName?: string;
  role?: string;
  enabled?: boolean;
  password?: string;
  contact?: Contact | null;
  preference?: Preference | null;
}

/** Field by field; null clears the whole; absent keeps. What ends without any field is null again. */
export function merge<T extends object>(current: T | null, change: T | null | undefined): T | null {
  if (change === undefined) return current;
  if (change === null) return null;
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  const merged = { ...current, ...Object.fromEntries(given) };
  return Object.keys(merged).length ? (merged as T) : null;
}
