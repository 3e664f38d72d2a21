// Thousands of secrets sought in hundreds of megabytes at once, in every spelling in which they could have been kept.

export interface Sieve {
  add(what: string, secret: string): void;
  /** Which of them are in there, by what they were. */
  look(content: Buffer): Set<string>;
  size(): { secrets: number; patterns: number };
}

/** Base64 spells three bytes together: of each of the three ways to begin, the part that depends on nothing else. */
function* base64Of(secret: string): Generator<string> {
  for (const before of [0, 1, 2]) {
    const text = Buffer.from(`${'\0'.repeat(before)}${secret}`)
      .toString('base64')
      .replace(/=+$/, '');
    const spoilt = (Buffer.byteLength(secret) + before) % 3 ? 1 : 0;
    yield text.slice(before && before + 1, text.length - spoilt);
  }
}

function spellingsOf(secret: string): Set<string> {
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

const slots = 2 ** 20;
const slotOf = (four: number): number => Math.imul(four, 0x9e3779b1) >>> 12;

export function createSieve(): Sieve {
  // Most places are passed after a look at four bytes.
  const holes = new Uint8Array(slots);
  const patterns = new Map<number, { what: string; bytes: Buffer }[]>();
  let secrets = 0;
  let count = 0;
  return {
    add(what, secret) {
      secrets++;
      for (const spelling of spellingsOf(secret)) {
        const bytes = Buffer.from(spelling);
        const four = bytes.readInt32LE(0);
        holes[slotOf(four)] = 1;
        patterns.set(four, [...(patterns.get(four) ?? []), { what, bytes }]);
        count++;
      }
    },
    look(content) {
      const found = new Set<string>();
      if (content.length < 4) return found;
      let four = content.readInt32LE(0);
      for (let at = 0; ; at++) {
        if (holes[slotOf(four)])
          for (const { what, bytes } of patterns.get(four) ?? [])
            if (content.compare(bytes, 0, bytes.length, at, Math.min(at + bytes.length, content.length)) === 0)
              found.add(what);
        if (at + 4 >= content.length) return found;
        four = (four >>> 8) | ((content[at + 4] ?? 0) << 24);
      }
    },
    size: () => ({ secrets, patterns: count }),
  };
}
