// What failures of the database mean to a caller.

import { AcquireTimeout } from '../concurrency/keyed-semaphore.ts';
import { invalid, missingReference, type Problem, problem, retryLater } from './problems.ts';

/** Invariants live in the database as named constraints; this is what breaking one means to a caller. */
const constraintProblems: Record<string, () => Problem> = {
  users_email_key_unique: () => invalid('email', 'is taken by another user', 'EmailTaken'),
  users_role_exists: () => problem('RoleInUse'),
  roles_name_unique: () => invalid('role', 'is the name of another role', 'RoleTaken'),
  product_pools_hold_used: () => invalid('total', 'is less than what is in use', 'BelowUsed'),
  tags_name_unique: () => invalid('name', 'is the name of another tag', 'NameTaken'),
  group_tags_tag: () => missingReference('tagIds', 'tag'),
  appliance_tags_tag: () => missingReference('tagIds', 'tag'),
  connector_tags_tag: () => missingReference('tagIds', 'tag'),
  link_tags_tag: () => missingReference('tagIds', 'tag'),
  allocations_once: () => invalid('capacityId', 'is allocated to this group already', 'AlreadyAllocated'),
  // Who allocates holds the group and the capacity: only who deletes one of them can break these.
  allocations_capacity: () => problem('BelowAllocated'),
  connectors_name_unique: () => invalid('name', 'is the name of another connector', 'NameTaken'),
  connectors_vlan_unique: () => invalid('entreprise.vlan', 'is taken on this appliance', 'VlanTaken'),
  // Who makes a connector or a link holds what it hangs on: only who deletes that can break these.
  connectors_group: () => problem('GroupInUse'),
  connectors_appliance: () => problem('ApplianceInUse'),
  links_name_unique: () => invalid('name', 'is the name of another link', 'NameTaken'),
  links_pair_unique: () => problem('AlreadyLinked'),
  links_from: () => problem('ConnectorLinked'),
  links_to: () => problem('ConnectorLinked'),
};

interface DatabaseError {
  code?: string;
  constraint?: string;
}

const away = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'EACCES',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  '57P01', // terminated by an administrator
  '57P02', // crash shutdown
  '57P03', // starting up
  '53100', // its disk is full
  '53200', // it is out of memory
  '53300', // too many connections
  '58030', // its disk fails
]);

/** What a failure of the database means to a caller, or undefined when it is no failure of the database. */
export function problemFromDatabaseError(error: unknown): Problem | undefined {
  if (error instanceof AcquireTimeout) return retryLater('Busy', 1);
  const { code = '', constraint = '' } = error as DatabaseError;
  const known = constraintProblems[constraint];
  if (known) return known();
  if (code === '57014') return retryLater('DatabaseTimeout', 1);
  if (code === '40001' || code === '40P01') return problem('Conflict');
  if (code === '22021' || code === '22P05')
    return problem('InvalidInput', { sentence: 'Text must not hold NUL characters.' });
  // A record that this one hangs on went away, or one like it came, in this very moment.
  if (code === '23503' || code === '23505') return problem('Conflict');
  if (away.has(code) || code.startsWith('08')) return retryLater('DatabaseUnavailable', 1);
  const message = error instanceof Error ? error.message : '';
  // The driver has no codes for these failures of its own. The first is no fault of the database: too many wait for a connection.
  if (message === 'timeout exceeded when trying to connect') return retryLater('Busy', 1);
  if (/^(Connection terminated|Client has encountered a connection error)/.test(message))
    return retryLater('DatabaseUnavailable', 1);
  if (message === 'Query read timeout') return retryLater('DatabaseTimeout', 1);
  return undefined;
}
