// The providers: every file beside this one that is named provider-*.ts.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ConnectorKind } from './connector-kind.ts';

const files = readdirSync(import.meta.dirname).filter((name) => /^provider-[\w-]+\.ts$/.test(name));

async function load(file: string): Promise<ConnectorKind> {
  const { kind } = (await import(join(import.meta.dirname, file))) as { kind?: ConnectorKind };
  if (!kind?.name || !Array.isArray(kind.fields))
    throw new Error(`src/connector-kinds/${file} exports no "kind" with a name and fields`);
  return kind;
}

const found = await Promise.all(files.map(load));
const names = found.map(({ name }) => name);
const double = names.find((name, index) => names.indexOf(name) < index);
if (double) throw new Error(`Two files of src/connector-kinds are called ${double}`);

export const providers: ConnectorKind[] = found.sort((a, b) => a.name.localeCompare(b.name));

export const providerNamed = (name: string): ConnectorKind | undefined => providers.find((kind) => kind.name === name);
