import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/**
 * Creates a folder and its missing parents, and returns those that it created, the innermost last. Node's recursive mkdir
 * never ends where the parent exists and the file system answers ENOENT, as /proc does.
 */
export async function createFolder(folder: string): Promise<string[]> {
  const parent = dirname(folder);
  const created = parent === folder || (await exists(parent)) ? [] : await createFolder(parent);
  try {
    await mkdir(folder, { mode: 0o700 });
    return [...created, folder];
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST' && (await stat(folder)).isDirectory();
    if (!isThere) throw error;
    return created;
  }
}
