// What a token is known by is a keyed hash of it, and that costs as much as a quarter of a kept answer. A connection mostly sends the token that it sent
// before: then only this is looked at.

/** Looks at every letter: behind a proxy many callers share a connection, and how much of another's token was right must not show in the time. */
function isSame(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let index = 0; index < one.length; index++) difference |= one.charCodeAt(index) ^ other.charCodeAt(index);
  return difference === 0;
}

export function createTokenDigestCache<T>(make: (token: string) => T | undefined) {
  const lastOn = new WeakMap<object, { token: string; badge: T }>();
  return (connection: object, token: string): T | undefined => {
    const last = lastOn.get(connection);
    if (last && isSame(last.token, token)) return last.badge;
    const badge = make(token);
    if (badge) lastOn.set(connection, { token, badge });
    return badge;
  };
}
