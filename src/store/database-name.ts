// Names a database in messages, without user, password and options of its URL.

const decode = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

/** The name of the database that a URL selects. As in libpq, the name of the user is the default. */
export function databaseNameOf(url: string): string {
  const { pathname, username } = new URL(url);
  return decode(pathname.replace(/^\//, '')) || process.env.PGDATABASE || decode(username);
}

/** "the database NAME on HOST". The host may be the folder of a Unix socket. */
export function describeDatabase(url: string): string {
  const { host, searchParams } = new URL(url);
  return `the database ${databaseNameOf(url)} on ${searchParams.get('host') || host || process.env.PGHOST || 'localhost'}`;
}
