// Which nodes and legs of the lab belong to which group, on disk: names in the lab are numbers whose records may be
// deleted. An entry is written before its resources are created, so that every resource has an entry.
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isUuid } from '../../values/uuid.ts';
import { FencedError } from '../driver.ts';

export interface RegistryEntry {
  /** The highest fencing token that has changed the group. */
  token: number;
  /** Names of its routers and far ends. */
  nodes: string[];
  /** The VXLAN network identifiers of its legs by name. */
  legs: Record<string, [number, number]>;
}

/** The nodes are called places in the file format. */
type FileContent = Omit<RegistryEntry, 'nodes'> & { places: string[] };

export class GroupRegistry {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open(labFolder: string): Promise<GroupRegistry> {
    const folder = join(labFolder, 'groups');
    await mkdir(folder, { recursive: true });
    return new GroupRegistry(folder);
  }

  async read(groupId: string): Promise<RegistryEntry | undefined> {
    const text = await readFile(this.#fileOf(groupId), 'utf8').catch(() => undefined);
    if (text === undefined) return undefined;
    const { token, places, legs } = JSON.parse(text) as FileContent;
    return { token, nodes: places, legs };
  }

  async write(groupId: string, { token, nodes, legs }: RegistryEntry): Promise<void> {
    const content: FileContent = { token, places: nodes, legs };
    const draft = `${this.#fileOf(groupId)}.draft`;
    await writeFile(draft, JSON.stringify(content));
    await rename(draft, this.#fileOf(groupId));
  }

  /** Records a fencing token; throws FencedError when the group has a higher one. */
  async checkFencingToken(groupId: string, token: number): Promise<RegistryEntry> {
    const before = (await this.read(groupId)) ?? { token, nodes: [], legs: {} };
    if (before.token > token) throw new FencedError('A holder with a newer fencing token has changed this group.');
    const entry = { ...before, token };
    await this.write(groupId, entry);
    return entry;
  }

  /** Removes all resources of an entry. The token stays, to fence off holders with an older one. */
  clear(groupId: string, token: number): Promise<void> {
    return this.write(groupId, { token, nodes: [], legs: {} });
  }

  /** Ids of the groups that have nodes. */
  async groups(): Promise<string[]> {
    const names = await readdir(this.#folder);
    const groupIds = names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -5));
    const entries = await Promise.all(groupIds.map(async (groupId) => ({ groupId, entry: await this.read(groupId) })));
    return entries.filter(({ entry }) => entry && entry.nodes.length > 0).map(({ groupId }) => groupId);
  }

  #fileOf(groupId: string): string {
    if (!isUuid(groupId)) throw new RangeError('a group is named by its id');
    return join(this.#folder, `${groupId}.json`);
  }
}
