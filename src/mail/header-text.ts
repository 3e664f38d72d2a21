// Text in mail headers, which are ASCII: other characters are written as encoded words (RFC 2047).

const maxWordBytes = 45;

function encodedWords(text: string): string {
  const words: string[] = [];
  for (const character of text) {
    const last = words.at(-1);
    if (last !== undefined && Buffer.byteLength(last + character) <= maxWordBytes)
      words[words.length - 1] = last + character;
    else words.push(character);
  }
  // Readers join adjacent encoded words without the space between them.
  return words.map((word) => `=?utf-8?B?${Buffer.from(word).toString('base64')}?=`).join(' ');
}

const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

export const headerText = (text: string): string => (isAscii(text) ? text : encodedWords(text));

/** The sender with another display name. */
export function renameSender(sender: string, name: string | undefined): string {
  if (name === undefined) return sender;
  const address = /<([^<>]+)>\s*$/.exec(sender)?.[1] ?? sender;
  const quoted = `"${name.replaceAll(/["\\]/g, '\\$&')}"`;
  return `${isAscii(name) ? quoted : encodedWords(name)} <${address.trim()}>`;
}
