// Organisation codes, empty parts, and which organisations a caller reaches.
import { randomInt } from 'node:crypto';
import { problem } from '../../errors/problems.ts';

const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz';

/** The owner part of resource names: 12 random characters. A constraint keeps it unique. */
export const newOrganisationCode = (): string => Array.from({ length: 12 }, () => alphabet[randomInt(36)]).join('');

export interface Address {
  street: string | null;
  city: string | null;
  zipcode: string | null;
  country: string | null;
}

export interface Invoice {
  tvasubjection: boolean | null;
  tvanumber: string | null;
  tvaintra: string | null;
}

export const emptyAddress: Address = { street: null, city: null, zipcode: null, country: null };
export const emptyInvoice: Invoice = { tvasubjection: null, tvanumber: null, tvaintra: null };

/** A caller reaches its own organisation and its children; a caller who acts for a child reaches only that child. */
export function reachableOrganisationId(ownId: string, scopedId: string, organisationId: string): string {
  const id = organisationId.toLowerCase();
  if (scopedId !== ownId && id !== scopedId) throw problem('NotFound');
  return id;
}
