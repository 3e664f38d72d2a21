// What of the lab belongs to which group, on disk: names in the lab are numbers, and the records that gave them may be gone. Written before
// anything is built, so that nothing stands that nobody knows.
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isUuid } from '../../values/uuid.ts';
import { Fenced } from '../driver.ts';

export interface RegistryEntry {
  /** The highest that has worked on the group. */
  token: number;
  /** Names of places, and of legs with their network identifiers. */
  places: string[];
  legs: Record<string, [number, number]>;
}

export interface GroupRegistry {
  read(groupId: string): Promise<RegistryEntry | undefined>;
  /** Lets a token in unless a newer one was here. */
  admit(groupId: string, token: number): Promise<RegistryEntry>;
  write(groupId: string, entry: RegistryEntry): Promise<void>;
  /** Nothing of the group stands any more; its token stays, so that nobody with an older one builds it again. */
  clear(groupId: string, token: number): Promise<void>;
  groups(): Promise<string[]>;
}

export async function openGroupRegistry(folder: string): Promise<GroupRegistry> {
  const home = join(folder, 'groups');
  await mkdir(home, { recursive: true });
  const fileOf = (groupId: string): string => {
    if (!isUuid(groupId)) throw new RangeError('a group is named by its id');
    return join(home, `${groupId}.json`);
  };
  const read = async (groupId: string): Promise<RegistryEntry | undefined> => {
    const text = await readFile(fileOf(groupId), 'utf8').catch(() => undefined);
    return text === undefined ? undefined : (JSON.parse(text) as RegistryEntry);
  };
  const write = async (groupId: string, entry: RegistryEntry): Promise<void> => {
    const draft = `${fileOf(groupId)}.draft`;
    await writeFile(draft, JSON.stringify(entry));
    await rename(draft, fileOf(groupId));
  };
  return {
    read,
    write,
    async admit(groupId, token) {
      const before = (await read(groupId)) ?? { token, places: [], legs: {} };
      if (before.token > token) throw new Fenced('Somebody with a newer token has worked on this group since.');
      const entry = { ...before, token };
      await write(groupId, entry);
      return entry;
    },
    clear: (groupId, token) => write(groupId, { token, places: [], legs: {} }),
    async groups() {
      const names = (await readdir(home)).filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -5));
      const entries = await Promise.all(names.map(async (name) => ({ name, entry: await read(name) })));
      return entries.filter(({ entry }) => entry && entry.places.length > 0).map(({ name }) => name);
    },
  };
}
