import type { Contact, Preference } from '../../store/tables.ts';
import type { Secret } from './passwords.ts';

/** Addresses are one person's whatever their case. */
export const emailKey = (email: string): string => email.normalize('NFKC').toLowerCase();

export interface UserChange {
  email?: string;
  firstName?: string | null;
  lastName?: string;
  role?: string;
  enabled?: boolean;
  secret?: Secret;
  contact?: Contact | null;
  preference?: Preference | null;
}

export const noContact: Required<Contact> = { phone: null, site: null };
export const noPreference: Required<Preference> = { language: null };

/** Field by field over what stands (or over nothing); null clears the whole; absent keeps. */
export function merge<T extends object>(
  current: T | null,
  change: T | null | undefined,
  nothing: Required<T>,
): T | null {
  if (change === undefined) return current;
  if (change === null) return null;
  const keys = (Object.keys(nothing) as (keyof T)[]).filter((key) => change[key] !== undefined);
  return { ...nothing, ...current, ...Object.fromEntries(keys.map((key) => [key, change[key]])) };
}
