// Selects parts of the torture or the benchmarks by name, and prints the usage.

export interface Part {
  about: string;
  /** An earlier name, which is still accepted. */
  alias?: string;
}

/** The parts named on the command line. Prints help on request; an unknown part exits with 2. */
export function selectParts(parts: Record<string, Part>, usage: (list: string) => string): string[] {
  const args = process.argv.slice(2);
  const width = 3 + Math.max(...Object.keys(parts).map((name) => name.length));
  const text = usage(
    Object.entries(parts)
      .map(([name, { about }]) => `  ${name.padEnd(width)}${about}`)
      .join('\n'),
  );
  if (args.includes('--help') || args.includes('-h')) {
    console.log(text);
    process.exit(0);
  }
  const aliases = new Map(Object.entries(parts).map(([name, { alias }]) => [alias, name]));
  const names = args.map((name) => aliases.get(name) ?? name);
  const unknown = names.filter((name) => !Object.hasOwn(parts, name));
  if (unknown.length) {
    console.error(`There is no part ${unknown.join(', ')}.\n\n${text}`);
    process.exit(2);
  }
  return names;
}
