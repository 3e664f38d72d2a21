// The file that a backup is: gzipped lines. First a heading in JSON; then each table as a line of JSON, its rows as PostgreSQL copies them, and
// the line \. that ends them; then the sequences; at last how much it was and a digest of everything before. Without its last line, no file is whole.
import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { OperatorError } from '../errors/operator-error.ts';

export const formatVersion = 1;

export interface Heading {
  patchbayBackup: number;
  /** The Patchbay that made it. */
  version: string;
  takenAt: string;
  postgres: number;
  migrations: { version: number; name: string; checksum: string }[];
  /** The version of the tables that jobs are in; null where there are none yet. */
  jobs: number | null;
  /** What a key file must be to open what is in here. */
  keys: { fingerprint: string | null; sealing: string[] };
  /** The key file itself, when that was asked for. */
  keyFile?: string;
}

export interface TableEntry {
  table: string;
  columns: string[];
  /** Of a part of another table: which, and what it is for. */
  part?: { of: string; bound: string } | null;
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

type Ending = Totals & { sha256: string };

/** What is found in an archive, in order. Rows must be taken before one goes on. */
export type Entry = (TableEntry & { rows: AsyncIterable<Buffer> }) | SequenceEntry;

const endOfRows = Buffer.from('\\.\n');
const lineFeed = 10;
const longestLine = 16 * 1024 * 1024;

const lineOf = (content: object): Buffer => Buffer.from(`${JSON.stringify(content)}\n`);

/** What goes into the file before it is packed. */
export async function* writeArchive(
  heading: Heading,
  entries: AsyncIterable<(TableEntry & { rows: AsyncIterable<Buffer>; counted: Promise<number> }) | SequenceEntry>,
  onTable: (table: string, rows: number) => void,
): AsyncGenerator<Buffer, void> {
  const digest = createHash('sha256');
  const totals: Totals = { tables: 0, rows: 0 };
  const seen = (chunk: Buffer): Buffer => {
    digest.update(chunk);
    return chunk;
  };
  yield seen(lineOf(heading));
  for await (const entry of entries) {
    if ('sequence' in entry) {
      yield seen(lineOf(entry));
      continue;
    }
    const { table, columns, part, rows, counted } = entry;
    yield seen(lineOf({ table, columns, part } satisfies TableEntry));
    for await (const chunk of rows) yield seen(chunk);
    yield seen(endOfRows);
    totals.tables++;
    totals.rows += await counted;
    onTable(table, await counted);
  }
  yield lineOf({ end: { ...totals, sha256: digest.digest('hex') } satisfies Ending });
}

const unfit = (file: string, why: string): OperatorError =>
  new OperatorError(`${file} is no whole backup: ${why}. Take another one, or copy this one again from where it came.`);

/** The bytes of a file, line by line or in runs of whole lines. */
class Lines {
  readonly #file: string;
  readonly #chunks: AsyncIterator<Buffer>;
  readonly digest: Hash = createHash('sha256');
  #rest: Buffer = Buffer.alloc(0);
  constructor(file: string, chunks: AsyncIterator<Buffer>) {
    this.#file = file;
    this.#chunks = chunks;
  }

  async #more(): Promise<void> {
    const { value, done } = await this.#chunks.next();
    if (done) throw unfit(this.#file, 'it ends early');
    this.#rest = this.#rest.length ? Buffer.concat([this.#rest, value]) : value;
  }

  #take(length: number): Buffer {
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return taken;
  }

  /** One line of JSON. It is not in the digest until it is said to be. */
  async line(): Promise<{ bytes: Buffer; content: unknown }> {
    while (!this.#rest.includes(lineFeed)) {
      if (this.#rest.length > longestLine) throw unfit(this.#file, 'a line has no end');
      await this.#more();
    }
    const bytes = this.#take(this.#rest.indexOf(lineFeed) + 1);
    try {
      return { bytes, content: JSON.parse(bytes.toString()) };
    } catch {
      throw unfit(this.#file, 'something else stands where a line of JSON should');
    }
  }

  async *rows(): AsyncGenerator<Buffer, void> {
    for (;;) {
      while (this.#rest.length < endOfRows.length) await this.#more();
      const isEnd = this.#rest.subarray(0, endOfRows.length).equals(endOfRows);
      if (isEnd) {
        this.digest.update(this.#take(endOfRows.length));
        return;
      }
      // A row never begins with these two bytes: PostgreSQL writes a backslash of its own as two.
      const before = this.#rest.indexOf(`\n${endOfRows}`);
      const whole = (before < 0 ? this.#rest.lastIndexOf(lineFeed) : before) + 1;
      if (whole === 0) await this.#more();
      else {
        const rows = this.#take(whole);
        this.digest.update(rows);
        yield rows;
      }
    }
  }
}

async function* unpacked(file: string): AsyncGenerator<Buffer, void> {
  const source = createReadStream(file);
  const gunzip = createGunzip();
  source.on('error', (error) => gunzip.destroy(error));
  try {
    yield* source.pipe(gunzip) as AsyncIterable<Buffer>;
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new OperatorError(`There is no file ${file}.`);
    if (code === 'Z_BUF_ERROR') throw unfit(file, 'it ends early');
    if (code.startsWith('Z_')) throw unfit(file, `it cannot be unpacked (${message})`);
    throw new OperatorError(`${file} cannot be read: ${message}.`);
  } finally {
    source.destroy();
  }
}

function checkHeading(file: string, content: unknown): Heading {
  const heading = content as Heading | null;
  if (typeof heading?.patchbayBackup !== 'number')
    throw new OperatorError(`${file} is no backup that npm run backup has made.`);
  if (heading.patchbayBackup !== formatVersion)
    throw new OperatorError(
      `${file} was made by Patchbay ${heading.version} in a format that this one does not know. Restore it with that version.`,
    );
  return heading;
}

export interface Archive {
  heading: Heading;
  entries: AsyncGenerator<Entry, Totals>;
}

export async function openArchive(file: string): Promise<Archive> {
  const lines = new Lines(file, unpacked(file));
  const first = await lines.line();
  const heading = checkHeading(file, first.content);
  lines.digest.update(first.bytes);

  async function* entries(): AsyncGenerator<Entry, Totals> {
    for (;;) {
      const { bytes, content } = await lines.line();
      const entry = content as TableEntry | SequenceEntry | { end: Ending };
      if ('end' in entry) {
        if (entry.end.sha256 !== lines.digest.digest('hex')) throw unfit(file, 'its content has been changed');
        return { tables: entry.end.tables, rows: entry.end.rows };
      }
      lines.digest.update(bytes);
      yield 'table' in entry ? { ...entry, rows: lines.rows() } : entry;
    }
  }
  return { heading, entries: entries() };
}
