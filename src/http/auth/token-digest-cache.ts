// Remembers the last token digest of each connection. The keyed hash costs a quarter of a cached response, and most requests of
// a connection carry the same token.

/** Compares in constant time: clients behind a proxy share a connection, and timing must not reveal another's token. */
function isSame(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let index = 0; index < one.length; index++) difference |= one.charCodeAt(index) ^ other.charCodeAt(index);
  return difference === 0;
}

export function createTokenDigestCache<T>(make: (token: string) => T | undefined) {
  const lastOn = new WeakMap<object, { token: string; digest: T }>();
  return (connection: object, token: string): T | undefined => {
    const last = lastOn.get(connection);
    if (last && isSame(last.token, token)) return last.digest;
    const digest = make(token);
    if (digest) lastOn.set(connection, { token, digest });
    return digest;
  };
}
