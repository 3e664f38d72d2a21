// Loads all provider kinds: the files in this folder that are named provider-*.ts.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ConnectorKind } from './connector-kind.ts';

const files = readdirSync(import.meta.dirname).filter((name) => /^provider-[\w-]+\.ts$/.test(name));

async function load(file: string): Promise<ConnectorKind> {
  const { kind } = (await import(join(import.meta.dirname, file))) as { kind?: ConnectorKind };
  if (!kind?.name || !Array.isArray(kind.fields))
    throw new Error(`src/connector-kinds/${file} must export "kind" with a name and fields`);
  return kind;
}

const loaded = await Promise.all(files.map(load));
const names = loaded.map(({ name }) => name);
const duplicate = names.find((name, index) => names.indexOf(name) < index);
if (duplicate) throw new Error(`Two files in src/connector-kinds define the kind ${duplicate}`);

export const providers: ConnectorKind[] = loaded.sort((a, b) => a.name.localeCompare(b.name));

export const findProvider = (name: string): ConnectorKind | undefined => providers.find((kind) => kind.name === name);
