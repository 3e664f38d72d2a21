// Searches hundreds of megabytes for thousands of secrets at once, in every encoding in which they could be stored.

export interface SecretScanner {
  add(label: string, secret: string): void;
  /** The labels of secrets in the content. */
  scan(content: Buffer): Set<string>;
  size(): { secrets: number; patterns: number };
}

/** Base64 encodes three bytes together: for each of the three alignments, the part that depends on the secret only. */
function* base64Of(secret: string): Generator<string> {
  for (const before of [0, 1, 2]) {
    const text = Buffer.from(`${'\0'.repeat(before)}${secret}`)
      .toString('base64')
      .replace(/=+$/, '');
    const dependent = (Buffer.byteLength(secret) + before) % 3 ? 1 : 0;
    yield text.slice(before && before + 1, text.length - dependent);
  }
}

function encodingsOf(secret: string): Set<string> {
  const hex = Buffer.from(secret).toString('hex');
  const base64 = [...base64Of(secret)];
  return new Set([
    secret,
    secret.toLowerCase(),
    secret.toUpperCase(),
    hex,
    hex.toUpperCase(),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    encodeURIComponent(secret),
  ]);
}

const hashSize = 2 ** 20;
const hashOf = (prefix: number): number => Math.imul(prefix, 0x9e3779b1) >>> 12;

export function createSecretScanner(): SecretScanner {
  // Most positions are skipped after one lookup of their prefix bytes.
  const isPrefix = new Uint8Array(hashSize);
  const patterns = new Map<number, { label: string; bytes: Buffer }[]>();
  let secrets = 0;
  let count = 0;
  return {
    add(label, secret) {
      secrets++;
      for (const encoding of encodingsOf(secret)) {
        const bytes = Buffer.from(encoding);
        const prefix = bytes.readInt32LE(0);
        isPrefix[hashOf(prefix)] = 1;
        patterns.set(prefix, [...(patterns.get(prefix) ?? []), { label, bytes }]);
        count++;
      }
    },
    scan(content) {
      const found = new Set<string>();
      if (content.length < 4) return found;
      let prefix = content.readInt32LE(0);
      for (let at = 0; ; at++) {
        if (isPrefix[hashOf(prefix)])
          for (const { label, bytes } of patterns.get(prefix) ?? [])
            if (content.compare(bytes, 0, bytes.length, at, Math.min(at + bytes.length, content.length)) === 0)
              found.add(label);
        if (at + 4 >= content.length) return found;
        prefix = (prefix >>> 8) | ((content[at + 4] ?? 0) << 24);
      }
    },
    size: () => ({ secrets, patterns: count }),
  };
}
