import { invalid } from '../../errors/problems.ts';
import { parseIrn } from '../../values/irn.ts';
import { isUuid } from '../../values/uuid.ts';

/** The connector that an end of a link names, by resource name or id; undefined when it is another owner's. */
export function endOf(text: string, path: 'from' | 'to', owner: string): string | undefined {
  if (isUuid(text)) return text.toLowerCase();
  const irn = parseIrn(text);
  if (irn?.family !== 'connectors' || irn.qualifier)
    throw invalid(path, 'must be the resource name (irn:connectors:…) or the id of a connector');
  return irn.owner === owner ? irn.id : undefined;
}
