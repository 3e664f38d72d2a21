import { invalid } from '../../errors/problems.ts';
import { parseIrn } from '../../values/irn.ts';
import { isUuid } from '../../values/uuid.ts';

/** Parses an end of a link, a resource name or an id. Returns undefined if it belongs to another organisation. */
export function parseLinkEnd(text: string, path: 'from' | 'to', owner: string): string | undefined {
  if (isUuid(text)) return text.toLowerCase();
  const irn = parseIrn(text);
  if (irn?.family !== 'connectors' || irn.qualifier)
    throw invalid(path, 'must be the resource name (irn:connectors:…) or the id of a connector');
  return irn.owner === owner ? irn.id : undefined;
}
