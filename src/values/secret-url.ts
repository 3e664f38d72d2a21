// URLs of the settings that may contain a password. A message about one of them never quotes it.

/** By RFC 3986, without decoding: an unescaped # / or ? in a password ends the authority too early. */
const afterAuthority = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*(.*)$/is;

const isDecodable = (part: string): boolean => {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
};

/**
 * Parses a URL whose parts are where its author meant them to be; undefined for any other text. The @ that ends the user
 * information is then in the authority. No setting has a fragment. In HTTP, parsers take a backslash for a slash.
 */
export function parseSecretUrl(value: string): URL | undefined {
  const url = URL.parse(value);
  const rest = afterAuthority.exec(value)?.[1] ?? '';
  const isShifted = /[@#]/.test(rest) || (/^https?:/i.test(value) && value.includes('\\'));
  return url && !isShifted && isDecodable(url.username) && isDecodable(url.password) ? url : undefined;
}
