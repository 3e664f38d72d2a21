import { entityTag } from './etag.ts';

/** An answer that is the same for every caller. It is encoded and hashed once, since anyone may ask for it. */
export class StaticAnswer {
  readonly body: Buffer;
  readonly etag: string;

  constructor(text: string) {
    this.body = Buffer.from(text);
    this.etag = entityTag(text, undefined, []);
  }
}
