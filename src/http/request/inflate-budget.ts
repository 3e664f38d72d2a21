// Bounds the memory of inflated line-protocol bodies. A few compressed bytes can inflate to many, so each request reserves the
// maximum before it inflates and holds its actual size until its response is sent.
import type { ServerResponse } from 'node:http';
import { retryLater } from '../../errors/problems.ts';
import { inflated, maxLineBodyBytes } from './body.ts';

const maxTotalBytes = 256 * 1024 * 1024;

export class InflateBudget {
  readonly #reserved = new Map<ServerResponse, number>();
  #total = 0;

  #reserve(response: ServerResponse, bytes: number): void {
    const before = this.#reserved.get(response);
    // The connection has closed, and nothing is reserved for it.
    if (before === undefined) return;
    this.#reserved.set(response, bytes);
    this.#total += bytes - before;
  }

  /** Inflates the body of the request that `response` belongs to. The reservation ends when that response closes. */
  async inflate(response: ServerResponse, bytes: Buffer, encoding: string | undefined): Promise<string> {
    const maxBytes = encoding === undefined ? bytes.length : maxLineBodyBytes;
    if (this.#total + maxBytes > maxTotalBytes) throw retryLater('Busy', 1);
    if (!response.closed) {
      this.#reserved.set(response, 0);
      response.once('close', () => {
        this.#reserve(response, 0);
        this.#reserved.delete(response);
      });
    }
    this.#reserve(response, maxBytes);
    const text = await inflated(bytes, encoding);
    this.#reserve(response, text.length);
    return text;
  }
}
