// Whole tables in and out, as PostgreSQL's COPY speaks: a query of the driver's that is told what to do with what is copied. Nothing is held in
// memory: who reads slowly makes the server wait, and a server that writes slowly makes the source wait.
import { once } from 'node:events';
import { Readable } from 'node:stream';
import pg from 'pg';

/** What the driver has for this and does not describe. */
interface CopyConnection {
  stream: Readable & { writableNeedDrain: boolean };
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(message: string): void;
}

interface Copying {
  handleCopyData?(message: { chunk: Buffer }, connection: CopyConnection): void;
  handleCopyInResponse?(connection: CopyConnection): void;
}

/** Sends the statement; answers how many rows were copied. */
function send(client: pg.Client, text: string, copying: Copying): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const query = new pg.Query(text, (error, result) =>
    error ? reject(error) : resolve((result as unknown as { rowCount: number | null }).rowCount ?? 0),
  );
  client.query(Object.assign(query, copying));
  return promise;
}

/** The rows of a `copy … to stdout`, each ending with a line feed, and their number once they have been read. */
export function copyOut(client: pg.Client, text: string): { rows: Readable; counted: Promise<number> } {
  let wire: CopyConnection['stream'] | undefined;
  const rows = new Readable({ read: () => void wire?.resume() });
  const counted = send(client, text, {
    handleCopyData({ chunk }, { stream }) {
      wire = stream;
      // The driver reads the next message into the same place.
      if (!rows.push(Buffer.from(chunk))) stream.pause();
    },
  });
  counted.then(
    () => rows.push(null),
    (error) => rows.destroy(error),
  );
  // The last rows may come together with the end, after which nobody asks for more: the answers to what follows must get through.
  counted.finally(() => void wire?.resume()).catch(() => undefined);
  return { rows, counted };
}

/** Feeds a `copy … from stdin`; answers how many rows were taken. */
export async function copyIn(client: pg.Client, text: string, source: AsyncIterable<Buffer>): Promise<number> {
  let isOver = false;
  let broken: Error | undefined;
  const feed = async (connection: CopyConnection): Promise<void> => {
    try {
      for await (const chunk of source) {
        if (isOver) return;
        connection.sendCopyFromChunk(chunk);
        if (connection.stream.writableNeedDrain) await Promise.race([once(connection.stream, 'drain'), sent]);
      }
      connection.endCopyFrom();
    } catch (error) {
      broken = error as Error;
      if (!isOver) connection.sendCopyFail('The source failed');
    }
  };
  const sent = send(client, text, { handleCopyInResponse: (connection) => void feed(connection) });
  try {
    return await sent;
  } catch (error) {
    // Why the source failed says more than that it did.
    throw broken ?? error;
  } finally {
    isOver = true;
  }
}
