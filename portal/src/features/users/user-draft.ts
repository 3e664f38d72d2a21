// A user as form values, and changed values as request body.
import type { Schemas } from '@patchbay/client';

export type User = Schemas['User'];

export interface UserDraft {
  firstName: string;
  lastName: string;
  email: string;
  role: string;
  enabled: boolean;
  phone: string;
  site: string;
  language: string;
}

export const fieldLabels: Record<keyof UserDraft, string> = {
  firstName: 'First name',
  lastName: 'Last name',
  email: 'E-mail address',
  role: 'Role',
  enabled: 'Enabled',
  phone: 'Phone',
  site: 'Site',
  language: 'Language',
};

export const emptyUserDraft: UserDraft = {
  firstName: '',
  lastName: '',
  email: '',
  role: 'viewer',
  enabled: true,
  phone: '',
  site: '',
  language: '',
};

export const toUserDraft = (user: User): UserDraft => ({
  firstName: user.firstName ?? '',
  lastName: user.lastName,
  email: user.email,
  role: user.role,
  enabled: user.enabled,
  phone: user.contact?.phone ?? '',
  site: user.contact?.site ?? '',
  language: user.preference?.language ?? '',
});

export const fullName = ({ firstName, lastName }: Pick<User, 'firstName' | 'lastName'>): string =>
  [firstName, lastName].filter(Boolean).join(' ');

export const userFields = (Object.keys(fieldLabels) as (keyof UserDraft)[]).map((name) => ({
  name,
  label: fieldLabels[name],
}));

export const formatValue = (value: string | boolean): string =>
  typeof value === 'boolean' ? (value ? 'yes' : 'no') : value || '(empty)';

const emptyToNull = (text: string): string | null => text || null;

/** The request body of the changed fields only, so that concurrent changes to other fields stay. */
export function toChangeBody(before: UserDraft, after: UserDraft) {
  const changed = new Set(userFields.map(({ name }) => name).filter((name) => before[name] !== after[name]));
  return {
    ...(changed.has('firstName') ? { firstName: emptyToNull(after.firstName) } : {}),
    ...(changed.has('lastName') ? { lastName: after.lastName } : {}),
    ...(changed.has('email') ? { email: after.email } : {}),
    ...(changed.has('role') ? { role: after.role } : {}),
    ...(changed.has('enabled') ? { enabled: after.enabled } : {}),
    ...(changed.has('phone') || changed.has('site')
      ? {
          contact: {
            ...(changed.has('phone') ? { phone: emptyToNull(after.phone) } : {}),
            ...(changed.has('site') ? { site: emptyToNull(after.site) } : {}),
          },
        }
      : {}),
    ...(changed.has('language') ? { preference: { language: emptyToNull(after.language) } } : {}),
  };
}
