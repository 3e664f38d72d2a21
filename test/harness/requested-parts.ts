// What the hard tests and the bench are asked for: some of their parts by name, or how they are used.

/** The names of parts in a command line. Help goes where it was asked to go; a part that is none ends with 2. */
export function selectParts(parts: Record<string, { about: string }>, usage: (list: string) => string): string[] {
  const asked = process.argv.slice(2);
  const width = 3 + Math.max(...Object.keys(parts).map((name) => name.length));
  const text = usage(
    Object.entries(parts)
      .map(([name, { about }]) => `  ${name.padEnd(width)}${about}`)
      .join('\n'),
  );
  if (asked.includes('--help') || asked.includes('-h')) {
    console.log(text);
    process.exit(0);
  }
  const unknown = asked.filter((name) => !Object.hasOwn(parts, name));
  if (unknown.length) {
    console.error(`There is no part ${unknown.join(', ')}.\n\n${text}`);
    process.exit(2);
  }
  return asked;
}
