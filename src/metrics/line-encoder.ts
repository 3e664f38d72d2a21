// Encodes points as line protocol for external engines. Names come from the mapping and values are numbers: no text of
// a caller is included.
import { problem } from '../errors/problems.ts';
import { type NameMapping, tagSetsOf } from './name-mapping.ts';
import { type PointColumns, toPoints } from './point-columns.ts';

/** Characters of resource names, which need no escaping. */
const unescapedPattern = /^[A-Za-z0-9_:-]+$/;

export function encodeLines(mapping: NameMapping, points: PointColumns, origin: string): string {
  return toPoints(points)
    .map(({ subject, quantity, type, atMs, value }) => {
      const source = mapping.sources[quantity].findLast((one) => one.type === type);
      if (!source)
        throw problem('EngineReadsOnly', {
          sentence: `The mapping file has no source that stores ${quantity} as a ${type}. Have the operator add one.`,
        });
      const tags = Object.entries({ ...tagSetsOf(mapping, subject)[0], origin }).map(([name, text]) => {
        if (!unescapedPattern.test(text)) throw new Error(`${text} cannot be a tag value`);
        return `${name}=${text}`;
      });
      return `${source.measurement},${tags.join(',')} ${source.field}=${value} ${atMs}`;
    })
    .join('\n');
}
