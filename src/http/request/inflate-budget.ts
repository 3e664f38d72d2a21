// Bodies of lines, inflated. A few bytes can become very many: what all of them take at once is bounded, from before they are inflated until they
// are answered.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { retryLater } from '../../errors/problems.ts';
import { inflated, maxLineBodyBytes } from './body.ts';

const mostBytes = 256 * 1024 * 1024;

export function createInflateBudget() {
  /** What each request takes; whoever has gone is not in it. */
  const held = new Map<FastifyRequest, number>();
  let sum = 0;
  function hold(request: FastifyRequest, bytes: number): void {
    const before = held.get(request);
    if (before === undefined) return;
    held.set(request, bytes);
    sum += bytes - before;
  }
  return {
    /** Lines will come with this request; they are let go when it has been answered, or has gone. */
    expect(request: FastifyRequest, reply: FastifyReply): void {
      held.set(request, 0);
      reply.raw.once('close', () => {
        hold(request, 0);
        held.delete(request);
      });
    },
    async read(request: FastifyRequest, bytes: Buffer): Promise<string> {
      const { 'content-encoding': encoding } = request.headers;
      // As much as it may become is held until it is known.
      const most = encoding === undefined ? bytes.length : maxLineBodyBytes;
      if (sum + most > mostBytes) throw retryLater('Busy', 1);
      hold(request, most);
      const text = await inflated(bytes, encoding);
      hold(request, text.length);
      return text;
    },
  };
}
