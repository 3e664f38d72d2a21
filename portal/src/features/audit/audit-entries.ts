// Audit entries: labels, and where the record of an entry can be viewed.
import type { Schemas } from '@patchbay/client';

export type AuditEntry = Schemas['AuditRecord'];

export const actionLabels: Record<AuditEntry['action'], string> = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
  deploy: 'deployed',
  'sign-in': 'signed in',
  'sign-in-refused': 'sign-in refused',
  lock: 'locked',
  'reset-asked': 'reset requested',
  reset: 'password reset',
  'sign-out': 'signed out',
  'refresh-reused': 'refresh token reused',
};

export const recordTypes: Record<string, string> = {
  capacity: 'Allocation',
  connector: 'Connector',
  cpe: 'Appliance',
  group: 'Group',
  link: 'Link',
  organisation: 'Organisation',
  role: 'Role',
  session: 'Session',
  tag: 'Tag',
  token: 'Personal token',
  user: 'User',
};

const formatValue = (value: unknown): string =>
  value === null ? '–' : typeof value === 'string' ? value : JSON.stringify(value);

/** The changed fields of an update in one line, or the program of a session. */
export const detailsOf = ({ changes, userAgent }: AuditEntry): string =>
  changes
    ? changes.map(({ path, before, after }) => `${path}: ${formatValue(before)} → ${formatValue(after)}`).join('; ')
    : (userAgent ?? '');

export const recordTypeLabel = (type: string): string => recordTypes[type] ?? type;

/** Lists that can be searched by IRN. */
const searchableLists: Record<string, string> = {
  connector: '/connectors',
  cpe: '/appliances',
  group: '/groups',
  link: '/links',
};
const otherPages: Record<string, string> = {
  capacity: '/capacity',
  organisation: '/capacity',
  role: '/roles',
  session: '/users',
  user: '/users',
};

export interface RecordLocation {
  to: string;
  search: Record<string, string>;
}

/** Undefined if the record is deleted or has no page. */
export function recordLocation({ action, serviceType, serviceIRN }: AuditEntry): RecordLocation | undefined {
  if (action === 'delete') return undefined;
  const list = searchableLists[serviceType];
  if (list) return { to: list, search: { search: serviceIRN } };
  const page = otherPages[serviceType];
  return page ? { to: page, search: {} } : undefined;
}
