// A user as a form holds it, and what of it was changed.
import type { Schemas } from '@patchbay/client';

export type User = Schemas['User'];

export interface Person {
  firstName: string;
  lastName: string;
  email: string;
  role: string;
  enabled: boolean;
  phone: string;
  site: string;
  language: string;
}

export const titles: Record<keyof Person, string> = {
  firstName: 'First name',
  lastName: 'Last name',
  email: 'E-mail address',
  role: 'Role',
  enabled: 'May sign in',
  phone: 'Phone',
  site: 'Site',
  language: 'Language',
};

export const nobody: Person = {
  firstName: '',
  lastName: '',
  email: '',
  role: 'viewer',
  enabled: true,
  phone: '',
  site: '',
  language: '',
};

export const personOf = (user: User): Person => ({
  firstName: user.firstName ?? '',
  lastName: user.lastName,
  email: user.email,
  role: user.role,
  enabled: user.enabled,
  phone: user.contact?.phone ?? '',
  site: user.contact?.site ?? '',
  language: user.preference?.language ?? '',
});

export const nameOf = ({ firstName, lastName }: Pick<User, 'firstName' | 'lastName'>): string =>
  [firstName, lastName].filter(Boolean).join(' ');

export const personFields = (Object.keys(titles) as (keyof Person)[]).map((name) => ({ name, label: titles[name] }));

export const spoken = (value: string | boolean): string =>
  typeof value === 'boolean' ? (value ? 'yes' : 'no') : value || 'nothing';

const orNull = (text: string): string | null => text || null;

/** The API's spelling of the fields that were changed, and of no others: what somebody else wrote meanwhile stays. */
export function changesOf(before: Person, after: Person) {
  const changed = new Set(personFields.map(({ name }) => name).filter((name) => before[name] !== after[name]));
  return {
    ...(changed.has('firstName') ? { firstName: orNull(after.firstName) } : {}),
    ...(changed.has('lastName') ? { lastName: after.lastName } : {}),
    ...(changed.has('email') ? { email: after.email } : {}),
    ...(changed.has('role') ? { role: after.role } : {}),
    ...(changed.has('enabled') ? { enabled: after.enabled } : {}),
    ...(changed.has('phone') || changed.has('site')
      ? {
          contact: {
            ...(changed.has('phone') ? { phone: orNull(after.phone) } : {}),
            ...(changed.has('site') ? { site: orNull(after.site) } : {}),
          },
        }
      : {}),
    ...(changed.has('language') ? { preference: { language: orNull(after.language) } } : {}),
  };
}
