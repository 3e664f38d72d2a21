// The only module that knows brand words. Neutral words are the default; a brand file renames them for an operator whose
// clients were written for another name. Both spellings are understood on input.
import { readFile } from 'node:fs/promises';
import { SettingsError } from './settings.ts';

export interface Brand {
  /** The scope header as it is documented and offered to browsers. */
  scopeHeader: string;
  /** Every spelling that is understood, in lower case. */
  scopeHeaders: string[];
}

const neutralScopeHeader = 'Service-Scope';
const headerName = /^[A-Za-z][A-Za-z0-9-]{0,62}$/;

const brandOf = (scopeHeader: string): Brand => ({
  scopeHeader,
  scopeHeaders: [...new Set([neutralScopeHeader, scopeHeader].map((name) => name.toLowerCase()))],
});

export async function loadBrand(file: string | undefined): Promise<Brand> {
  if (!file) return brandOf(neutralScopeHeader);
  const refuse = (reason: string): never => {
    throw new SettingsError(`The brand file ${file} ${reason}.`);
  };
  const text = await readFile(file, 'utf8').catch((error) => refuse(`cannot be read: ${error.message}`));
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    return refuse(`is not valid JSON: ${(error as Error).message}`);
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    return refuse('must hold one JSON object');
  const unknown = Object.keys(content).filter((key) => key !== 'scopeHeader');
  if (unknown.length) return refuse(`has keys that are not known: ${unknown.join(', ')} (known: scopeHeader)`);
  const { scopeHeader = neutralScopeHeader } = content as { scopeHeader?: unknown };
  if (typeof scopeHeader !== 'string' || !headerName.test(scopeHeader))
    return refuse('must give scopeHeader as the name of an HTTP header');
  return brandOf(scopeHeader);
}
