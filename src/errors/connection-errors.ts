// Failures to connect to PostgreSQL, as sentences for the operator. No sentence contains the URL, which has a password.
import { OperatorError } from './operator-error.ts';
import { describeFileError } from './system-errors.ts';

/** The code is one of Node, or the SQLSTATE of the server. */
type ConnectionError = NodeJS.ErrnoException;

interface Target {
  /** The address as the operator knows it. */
  server: string;
  host: string;
  database: string;
  user: string;
  parameters: URLSearchParams;
}

function parseTarget(url: string): Target {
  const { hostname, port, pathname, username, searchParams: parameters } = new URL(url);
  const host = parameters.get('host') ?? decodeURIComponent(hostname);
  return {
    host,
    server: host.startsWith('/') ? host : `${host || 'localhost'}:${parameters.get('port') || port || 5432}`,
    database: decodeURIComponent(pathname.slice(1)),
    user: parameters.get('user') ?? decodeURIComponent(username),
    parameters,
  };
}

type Describe = (target: Target, error: ConnectionError) => string;

const notAnswering: Describe = ({ server }) =>
  `The database cannot be reached: ${server} does not answer. ` +
  'Check host and port in DATABASE_URL, and the firewalls in between.';

const byCode: Record<string, Describe> = {
  ENOTFOUND: ({ host }) =>
    `The database cannot be reached: the host name ${host} is unknown. Check the host in DATABASE_URL.`,
  EAI_AGAIN: ({ host }) =>
    `The database cannot be reached: no name server answers for ${host}. Check the host in DATABASE_URL and the DNS.`,
  ECONNREFUSED: ({ server }) =>
    `The database cannot be reached: nothing listens at ${server}. ` +
    'Check host and port in DATABASE_URL, and that PostgreSQL runs and listens there.',
  ETIMEDOUT: notAnswering,
  EHOSTUNREACH: notAnswering,
  ENETUNREACH: notAnswering,
  ECONNRESET: ({ server }) =>
    `The database cannot be reached: ${server} closed the connection. Is it a PostgreSQL server?`,
  '28P01': ({ server, user }) =>
    `The database server at ${server} rejects the password of the account ${user}. ` +
    'Check user name and password in DATABASE_URL; special characters in them must be percent-encoded.',
  '28000': ({ server }, { message }) =>
    `The database server at ${server} refuses the connection: ${message}. ` +
    'Check account, database and sslmode in DATABASE_URL, and pg_hba.conf of the server.',
  '42501': ({ server, user }, { message }) =>
    `The account ${user} lacks a right on the database server at ${server}: ${message}. ` +
    'It must own the database (docs/operations.md, PostgreSQL).',
  '3D000': ({ server, database }) =>
    `The database ${database} does not exist on the server at ${server}. ` +
    'Create it, or correct the name in DATABASE_URL.',
  '53300': ({ server }, { message }) =>
    `The database server at ${server} has no free connection (${message}). A replica needs up to 21. ` +
    'Raise max_connections or the limit of the account, or stop other clients.',
  '57P03': (_, { message }) => `The database cannot be reached: ${message}. Try again in a moment.`,
  ERR_TLS_CERT_ALTNAME_INVALID: ({ server, host }) =>
    `The certificate of the database server at ${server} is for another name than ${host}. ` +
    'Use a name of the certificate as the host in DATABASE_URL.',
  CERT_HAS_EXPIRED: ({ server }) => `The certificate of the database server at ${server} has expired. Renew it.`,
};

const untrusted: Describe = ({ server, parameters }, { message }) =>
  `The certificate of the database server at ${server} is not trusted: ${message.split(';')[0]}. ` +
  (parameters.has('sslrootcert')
    ? 'Name the CA that signed it with sslrootcert in DATABASE_URL.'
    : 'Add sslrootcert=FILE with the CA that signed it to DATABASE_URL.');

/** Messages of the driver, which have no code. */
const byMessage: [RegExp, Describe][] = [
  [/^timeout expired$/, notAnswering],
  [
    /^The server does not support SSL connections$/,
    ({ server }) =>
      `The database server at ${server} does not offer TLS, which sslmode in DATABASE_URL requires. ` +
      'Turn it on there (ssl = on), or use sslmode=disable where no one can read the network.',
  ],
  [
    /client password must be a(?: non-empty)? string$/,
    ({ server, user }) =>
      `The database server at ${server} asks for the password of the account ${user}, but DATABASE_URL has none.`,
  ],
  [
    /^Connection terminated unexpectedly$|^There was an error establishing an SSL connection$/,
    ({ server }) => `The database cannot be reached: ${server} closed the connection. Is it a PostgreSQL server?`,
  ],
  [/certificate/i, untrusted],
];

const fileParameters = ['sslrootcert', 'sslcert', 'sslkey'];

/** A file that the URL names. Node does not say which one, if it is a folder. */
function describeFile({ parameters }: Target, error: ConnectionError): string | undefined {
  const { syscall = '', path } = error;
  const named = [...parameters].filter(
    ([name, value]) => fileParameters.includes(name) && (path === undefined || path === value),
  );
  if (!['open', 'read'].includes(syscall) || named.length === 0) return undefined;
  const files = named.map((parameter) => parameter.join('=')).join(' or ');
  return `DATABASE_URL names a file that cannot be read (${files}): ${describeFileError(error)}.`;
}

function describeTls({ server, parameters }: Target, { code = '', message }: ConnectionError): string | undefined {
  if (!/^ERR_(OSSL|TLS|CRYPTO|SSL)_/.test(code)) return undefined;
  const names = fileParameters.filter((name) => parameters.has(name));
  const advice = names.length ? ` Are ${names.join(', ')} in DATABASE_URL PEM files that belong together?` : '';
  return `TLS with the database server at ${server} fails: ${message}.${advice}`;
}

/** Whether the error comes from a connection, not from a statement on it. */
export const isConnectionError = ({ code = '', message, syscall }: ConnectionError): boolean =>
  code in byCode || syscall === 'connect' || byMessage.some(([pattern]) => pattern.test(message));

export function explainConnectionError(error: ConnectionError, url: string): OperatorError {
  const target = parseTarget(url);
  const { code = '', message } = error;
  const describe = byCode[code] ?? byMessage.find(([pattern]) => pattern.test(message))?.[1];
  return new OperatorError(
    describeFile(target, error) ??
      describe?.(target, error) ??
      describeTls(target, error) ??
      `The database at ${target.server} cannot be reached: ${message || code}. Check DATABASE_URL.`,
  );
}
