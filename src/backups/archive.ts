// The format of a backup file: gzipped lines. A header in JSON; for each table a line of JSON, its rows in PostgreSQL's
// COPY text format and the line \. as terminator; then the sequences; last a trailer with totals and a digest of
// everything before. A file without trailer is incomplete.
import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { OperatorError } from '../errors/operator-error.ts';

export const formatVersion = 1;

export interface ArchiveHeader {
  patchbayBackup: number;
  /** The version of Patchbay that wrote the file. */
  version: string;
  takenAt: string;
  postgres: number;
  migrations: { version: number; name: string; checksum: string }[];
  /** Null. Earlier versions wrote the job queue too, and here the version of its schema. */
  jobs: number | null;
  /** What the matching key file must contain. */
  keys: { fingerprint: string | null; sealing: string[] };
  /** The content of the key file, if requested. */
  keyFile?: string;
}

export interface TableEntry {
  table: string;
  columns: string[];
}

export interface SequenceEntry {
  sequence: string;
  value: string;
  isCalled: boolean;
}

export interface Totals {
  tables: number;
  rows: number;
}

type Trailer = Totals & { sha256: string };

/** An entry of an archive. The rows of a table must be consumed before the next entry is read. */
export type Entry = (TableEntry & { rows: AsyncIterable<Buffer> }) | SequenceEntry;

const endOfRows = Buffer.from('\\.\n');
const lineFeed = 10;
const maxLineBytes = 16 * 1024 * 1024;

const jsonLine = (content: object): Buffer => Buffer.from(`${JSON.stringify(content)}\n`);

/** Every row ends with the only line feed in it, since COPY escapes those in values. */
function countRows(chunk: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, at + 1)) count++;
  return count;
}

/** Yields the uncompressed content of a backup file. */
export async function* writeArchive(
  header: ArchiveHeader,
  entries: AsyncIterable<Entry>,
  onTable: (table: string, rows: number) => void,
): AsyncGenerator<Buffer, void> {
  const digest = createHash('sha256');
  const totals: Totals = { tables: 0, rows: 0 };
  const digested = (chunk: Buffer): Buffer => {
    digest.update(chunk);
    return chunk;
  };
  yield digested(jsonLine(header));
  for await (const entry of entries) {
    if ('sequence' in entry) {
      yield digested(jsonLine(entry));
      continue;
    }
    const { table, columns, rows } = entry;
    yield digested(jsonLine({ table, columns } satisfies TableEntry));
    let count = 0;
    for await (const chunk of rows) {
      count += countRows(chunk);
      yield digested(chunk);
    }
    yield digested(endOfRows);
    totals.tables++;
    totals.rows += count;
    onTable(table, count);
  }
  yield jsonLine({ end: { ...totals, sha256: digest.digest('hex') } satisfies Trailer });
}

const damaged = (file: string, reason: string): OperatorError =>
  new OperatorError(`${file} is not a complete backup: ${reason}. Copy it again from its source, or use another one.`);

/** Reads a file line by line, or its rows in chunks of complete lines. */
class LineReader {
  readonly #file: string;
  readonly #chunks: AsyncIterator<Buffer>;
  readonly digest: Hash = createHash('sha256');
  #buffer: Buffer = Buffer.alloc(0);
  constructor(file: string, chunks: AsyncIterator<Buffer>) {
    this.#file = file;
    this.#chunks = chunks;
  }

  async #readMore(): Promise<void> {
    const { value, done } = await this.#chunks.next();
    if (done) throw damaged(this.#file, 'it is truncated');
    this.#buffer = this.#buffer.length ? Buffer.concat([this.#buffer, value]) : value;
  }

  #take(length: number): Buffer {
    const taken = this.#buffer.subarray(0, length);
    this.#buffer = this.#buffer.subarray(length);
    return taken;
  }

  /** Reads one line of JSON, which the caller adds to the digest unless it is the trailer. */
  async readJson(): Promise<{ bytes: Buffer; content: unknown }> {
    while (!this.#buffer.includes(lineFeed)) {
      if (this.#buffer.length > maxLineBytes) throw damaged(this.#file, 'a line is too long');
      await this.#readMore();
    }
    const bytes = this.#take(this.#buffer.indexOf(lineFeed) + 1);
    try {
      return { bytes, content: JSON.parse(bytes.toString()) };
    } catch {
      throw damaged(this.#file, 'a line is not valid JSON');
    }
  }

  async *readRows(): AsyncGenerator<Buffer, void> {
    for (;;) {
      while (this.#buffer.length < endOfRows.length) await this.#readMore();
      if (this.#buffer.subarray(0, endOfRows.length).equals(endOfRows)) {
        this.digest.update(this.#take(endOfRows.length));
        return;
      }
      // No row starts with the terminator, since COPY writes a backslash as two.
      const terminator = this.#buffer.indexOf(`\n${endOfRows}`);
      const length = (terminator < 0 ? this.#buffer.lastIndexOf(lineFeed) : terminator) + 1;
      if (length === 0) await this.#readMore();
      else {
        const rows = this.#take(length);
        this.digest.update(rows);
        yield rows;
      }
    }
  }
}

async function* readDecompressed(file: string): AsyncGenerator<Buffer, void> {
  const source = createReadStream(file);
  // Larger chunks than the default: a line of many chunks is copied with each of them.
  const gunzip = createGunzip({ chunkSize: 512 * 1024 });
  source.on('error', (error) => gunzip.destroy(error));
  try {
    yield* source.pipe(gunzip) as AsyncIterable<Buffer>;
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new OperatorError(`There is no file ${file}.`);
    if (code === 'Z_BUF_ERROR') throw damaged(file, 'it is truncated');
    if (code.startsWith('Z_')) throw damaged(file, `it cannot be decompressed (${message})`);
    throw new OperatorError(`${file} cannot be read: ${message}.`);
  } finally {
    source.destroy();
  }
}

function checkHeader(file: string, content: unknown): ArchiveHeader {
  const header = content as ArchiveHeader | null;
  if (typeof header?.patchbayBackup !== 'number')
    throw new OperatorError(`${file} is not a backup made by npm run backup.`);
  if (header.patchbayBackup !== formatVersion)
    throw new OperatorError(
      `${file} was written by Patchbay ${JSON.stringify(header.version)} in a format that this version does not support. ` +
        'Restore it with that version.',
    );
  return header;
}

/** Reads the first line only. */
export async function readArchiveHeader(file: string): Promise<ArchiveHeader> {
  const chunks = readDecompressed(file);
  try {
    return checkHeader(file, (await new LineReader(file, chunks).readJson()).content);
  } finally {
    await chunks.return();
  }
}

export interface Archive {
  header: ArchiveHeader;
  entries: AsyncGenerator<Entry, Totals>;
}

export async function openArchive(file: string): Promise<Archive> {
  const reader = new LineReader(file, readDecompressed(file));
  const first = await reader.readJson();
  const header = checkHeader(file, first.content);
  reader.digest.update(first.bytes);

  async function* readEntries(): AsyncGenerator<Entry, Totals> {
    for (;;) {
      const { bytes, content } = await reader.readJson();
      const entry = content as TableEntry | SequenceEntry | { end: Trailer };
      if ('end' in entry) {
        if (entry.end.sha256 !== reader.digest.digest('hex')) throw damaged(file, 'its content has been changed');
        return { tables: entry.end.tables, rows: entry.end.rows };
      }
      reader.digest.update(bytes);
      yield 'table' in entry ? { ...entry, rows: reader.readRows() } : entry;
    }
  }
  return { header, entries: readEntries() };
}

/** Reads an archive to its end; fails unless it is complete and unchanged. */
export async function checkArchive({ entries }: Archive): Promise<Totals> {
  for (;;) {
    const { value, done } = await entries.next();
    if (done) return value;
    if ('table' in value) for await (const _ of value.rows);
  }
}
