// Where a record that was written about can be looked at.
export const kinds: Record<string, string> = {
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

export const kindTitle = (kind: string): string => kinds[kind] ?? kind;

/** Lists that find a record by its IRN. */
const searched: Record<string, string> = {
  connector: '/connectors',
  cpe: '/appliances',
  group: '/groups',
  link: '/links',
};
const pages: Record<string, string> = {
  capacity: '/capacity',
  organisation: '/capacity',
  role: '/roles',
  user: '/users',
};

export interface Place {
  to: string;
  search: Record<string, string>;
}

/** What was deleted is nowhere to be seen any more. */
export function placeOf(record: { action: string; serviceType: string; serviceIRN: string }): Place | undefined {
  const { action, serviceType, serviceIRN } = record;
  if (action === 'delete') return undefined;
  const list = searched[serviceType];
  if (list) return { to: list, search: { search: serviceIRN } };
  const page = pages[serviceType];
  return page ? { to: page, search: {} } : undefined;
}
