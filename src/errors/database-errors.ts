// Maps database errors to the problems that callers see.
import { AcquireTimeout } from './acquire-timeout.ts';
import { invalid, missingReference, Problem, problem, readOnlyDatabase, retryLater } from './problems.ts';

const resellerHas = 'the reseller has left, after what it uses itself and what its other children have';

/** The problem for each named constraint. */
const constraintProblems: Record<string, () => Problem> = {
  users_email_key_unique: () => invalid('email', 'is taken by another user', 'EmailTaken'),
  users_role_exists: () => problem('RoleInUse'),
  roles_name_unique: () => invalid('role', 'is the name of another role', 'RoleTaken'),
  product_pools_hold_used: () => invalid('total', 'is less than what is in use', 'BelowUsed'),
  // A reseller hands out to its children no more than it has (migration 000010).
  product_pools_use_within_bound: () => problem('NotEnoughSpareProducts'),
  product_pools_sale_within_bound: () => invalid('total', `is more than ${resellerHas}`, 'NotEnoughSpareProducts'),
  capacities_use_within_bound: () => problem('NotEnoughCapacity'),
  capacities_sale_within_bound: () => invalid('capacity', `is more than ${resellerHas}`, 'NotEnoughCapacity'),
  capacities_cover_children: () => problem('BelowAllocated'),
  tags_name_unique: () => invalid('name', 'is the name of another tag', 'NameTaken'),
  group_tags_tag: () => missingReference('tagIds', 'tag'),
  appliance_tags_tag: () => missingReference('tagIds', 'tag'),
  connector_tags_tag: () => missingReference('tagIds', 'tag'),
  link_tags_tag: () => missingReference('tagIds', 'tag'),
  allocations_once: () => invalid('capacityId', 'is allocated to this group already', 'AlreadyAllocated'),
  // Allocating locks the group and the capacity, so only a concurrent delete of the capacity violates this.
  allocations_capacity: () => problem('BelowAllocated'),
  connectors_name_unique: () => invalid('name', 'is the name of another connector', 'NameTaken'),
  connectors_vlan_unique: () => invalid('entreprise.vlan', 'is taken on this appliance', 'VlanTaken'),
  // Creating a connector or a link locks the records it refers to, so only deleting those violates the following.
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
  syscall?: string;
  message?: string;
}

const socketCodes = new Set([
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
]);
/** A file that is missing has the same code as a socket that is missing. */
const socketCalls = new Set(['connect', 'read', 'write', 'getaddrinfo']);

const readOnlyCode = '25006';
const shutdownCodes = new Set([
  '57P01', // terminated by an administrator
  '57P02', // crash shutdown
  '57P03', // starting up
]);

const unavailableCodes = new Set([
  ...socketCodes,
  ...shutdownCodes,
  '53100', // disk full
  '53200', // out of memory
  '53300', // too many connections
  '58030', // I/O error
]);

/** The driver's own errors carry no code. */
const isClosedConnection = (message = ''): boolean =>
  /^(Connection terminated|Client has encountered a connection error)/.test(message);

/** Whether the database server has closed the connection or accepts none: it stops, starts or has crashed. */
export function isClosedByServer(error: unknown): boolean {
  const { code = '', message } = error as DatabaseError;
  return shutdownCodes.has(code) || code.startsWith('08') || isClosedConnection(message);
}

/** Whether a connection failed, most likely one to the database, or the database is read-only. */
export function isUnavailability(error: unknown): boolean {
  if (error instanceof Problem) return error.code === 'DatabaseUnavailable';
  const { code = '', syscall = '' } = error as DatabaseError;
  if (code === readOnlyCode) return true;
  return isClosedByServer(error) || (socketCodes.has(code) && socketCalls.has(syscall));
}

/** Returns undefined for errors that do not come from the database. */
export function problemFromDatabaseError(error: unknown): Problem | undefined {
  if (error instanceof AcquireTimeout) return retryLater('Busy', 1);
  const { code = '', constraint = '' } = error as DatabaseError;
  const constraintProblem = constraintProblems[constraint];
  if (constraintProblem) return constraintProblem();
  if (code === readOnlyCode) return readOnlyDatabase();
  if (code === '57014') return retryLater('DatabaseTimeout', 1);
  if (code === '40001' || code === '40P01') return problem('Conflict');
  if (code === '22021' || code === '22P05')
    return problem('InvalidInput', { sentence: 'Text must not hold NUL characters.' });
  // A concurrent transaction deleted a referenced record or inserted the same key.
  if (code === '23503' || code === '23505') return problem('Conflict');
  if (unavailableCodes.has(code) || code.startsWith('08')) return retryLater('DatabaseUnavailable', 1);
  const message = error instanceof Error ? error.message : '';
  // The pool is exhausted; the server is not down.
  if (message === 'timeout exceeded when trying to connect') return retryLater('Busy', 1);
  if (isClosedConnection(message)) return retryLater('DatabaseUnavailable', 1);
  if (message === 'Query read timeout') return retryLater('DatabaseTimeout', 1);
  return undefined;
}
