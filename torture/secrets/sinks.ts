// Everything that is stored or shown, for the search.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { command } from '../backup-command.ts';
import { databaseUrlOf } from '../helpers.ts';
import type { SecretContext } from './sources.ts';

/** Every file in the folder but the key file and mails, which contain secrets by design. */
async function* filesOf(folder: string): AsyncGenerator<[string, Buffer]> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const name = relative(folder, join(entry.parentPath, entry.name));
    if (!entry.isFile() || name === 'keys.json' || name.startsWith('outbox')) continue;
    // The database deletes files meanwhile.
    const content = await readFile(join(folder, name)).catch(() => undefined);
    if (content) yield [name, content];
  }
}

async function* tablesOf(url: string): AsyncGenerator<[string, Buffer]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // Writes cached pages to the files.
    await client.query('checkpoint');
    const { rows } = await client.query(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    for (const { name } of rows) {
      const { rows: content } = await client.query(`select t::text as row from ${name} t`);
      yield [`table ${name}`, Buffer.from(content.map(({ row }) => row).join('\n'))];
    }
  } finally {
    await client.end();
  }
}

const lists = [
  '/connectors?limit=100',
  '/cloud-appliances?limit=100',
  '/groups?limit=100',
  '/tags?limit=100',
  '/users?limit=100',
  '/personal/tokens?limit=100',
  '/organisations?limit=100',
  '/acl/roles',
  '/audit?limit=100',
  '/me/info',
  '/me/permissions',
];

export async function* allSinks({ data, running, parent, child }: SecretContext): AsyncGenerator<[string, Buffer]> {
  for (const path of lists)
    for (const client of [parent, child]) yield [`GET ${path}`, Buffer.from((await client.get(path)).text)];
  yield* tablesOf(databaseUrlOf(data));
  const backup = join(data, 'outbox', 'planted.backup.gz');
  const { code, output } = await command('backup', [backup, '--data', data]);
  assert.equal(code, 0, output);
  yield ['the backup', gunzipSync(await readFile(backup))];
  yield ['the output of the backup', Buffer.from(output)];
  const monitor = /Metrics\s+(http:\S+)/.exec(running.output())?.[1] ?? assert.fail('no monitor port');
  yield ['the process metrics', Buffer.from(await (await fetch(monitor)).text())];
  yield ['the log', Buffer.from(running.output())];
  yield* filesOf(data);
}
