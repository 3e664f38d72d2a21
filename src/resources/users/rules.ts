// Address keys and merging of contact and preference.
import type { Contact, Preference } from '../../store/tables.ts';
import type { PreparedPassword } from './passwords.ts';

/** Two addresses with the same key belong to the same user. */
export const emailKey = (email: string): string => email.normalize('NFKC').toLowerCase();

export interface UserChange {
  email?: string;
  firstName?: string | null;
  lastName?: string;
  role?: string;
  enabled?: boolean;
  password?: PreparedPassword;
  contact?: Contact | null;
  preference?: Preference | null;
}

export const emptyContact: Required<Contact> = { phone: null, site: null };
export const emptyPreference: Required<Preference> = { language: null };

/** Merges field by field. An absent change keeps the current value, null clears it. */
export function mergeFields<T extends object>(
  current: T | null,
  change: T | null | undefined,
  empty: Required<T>,
): T | null {
  if (change === undefined) return current;
  if (change === null) return null;
  const keys = (Object.keys(empty) as (keyof T)[]).filter((key) => change[key] !== undefined);
  return { ...empty, ...current, ...Object.fromEntries(keys.map((key) => [key, change[key]])) };
}
