// The providers: every file beside this one that is named provider-*.ts.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Kind } from './kind.ts';

const files = readdirSync(import.meta.dirname).filter((name) => /^provider-[\w-]+\.ts$/.test(name));
const found: Kind[] = await Promise.all(
  files.map(async (name) => ((await import(join(import.meta.dirname, name))) as { kind: Kind }).kind),
);

export const providers: Kind[] = found.sort((a, b) => a.name.localeCompare(b.name));

export const providerNamed = (name: string): Kind | undefined => providers.find((kind) => kind.name === name);
