// Points as line protocol, for engines elsewhere. Nothing of it was written by a customer: names come from the mapping, values are numbers.
import { problem } from '../errors/problems.ts';
import { type Mapping, tagsOf } from './name-mapping.ts';
import { listOf, type Points } from './point-columns.ts';

/** What stands in names of resources needs no escaping. */
const plain = /^[A-Za-z0-9_:-]+$/;

export function linesOf(mapping: Mapping, points: Points, origin: string): string {
  return listOf(points)
    .map(({ subject, quantity, form, atMs, value }) => {
      // What the mapping reads last is what this service writes: Telegraf's own measurements come first.
      const source = mapping.sources[quantity].findLast((one) => one.form === form);
      if (!source)
        throw problem('EngineReadsOnly', {
          sentence: `The mapping file names nothing in which ${quantity} could be kept as a ${form}. Have the operator add one.`,
        });
      const tags = Object.entries({ ...tagsOf(mapping, subject)[0], origin }).map(([name, text]) => {
        if (!plain.test(text)) throw new Error(`${text} is no tag value`);
        return `${name}=${text}`;
      });
      return `${source.measurement},${tags.join(',')} ${source.field}=${value} ${atMs}`;
    })
    .join('\n');
}
