// Where a record that was written about can be looked at.
export const recordTypes: Record<string, string> = {
  capacity: 'Allocation',
  connector: 'Connector',
  cpe: 'Appliance',
  group: 'Group',
  link: 'Link',
  organisation: 'Organisation',
  role: 'Role',
  tag: 'Tag',
  token: 'Personal token',
  user: 'User',
};

export const recordTypeLabel = (kind: string): string => recordTypes[kind] ?? kind;

/** Lists that find a record by its IRN. */
const searchableLists: Record<string, string> = {
  connector: '/connectors',
  cpe: '/appliances',
  group: '/groups',
  link: '/links',
};
const pagesWithoutSearch: Record<string, string> = {
  capacity: '/capacity',
  organisation: '/capacity',
  role: '/roles',
  user: '/users',
};

export interface RecordLocation {
  to: string;
  search: Record<string, string>;
}

/** What was deleted is nowhere to be seen any more. */
export function recordLocation(record: {
  action: string;
  serviceType: string;
  serviceIRN: string;
}): RecordLocation | undefined {
  const { action, serviceType, serviceIRN } = record;
  if (action === 'delete') return undefined;
  const list = searchableLists[serviceType];
  if (list) return { to: list, search: { search: serviceIRN } };
  const page = pagesWithoutSearch[serviceType];
  return page ? { to: page, search: {} } : undefined;
}
