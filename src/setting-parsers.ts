// Parsers of settings: each returns the value of a text, or throws what the text must be.
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { type FaultRule, faultSyntax, parseFaultRules } from './fabric/simulated/fault-injection.ts';
import { findSimilar } from './values/edit-distance.ts';
import { parseSecretUrl } from './values/secret-url.ts';

/** The message completes the sentence "… must be". */
export class InvalidValue extends Error {}

export const text = (value: string): string => value;
export const optional = (value: string): string | undefined => value || undefined;
export const folder = (value: string): string => resolve(value);
export const optionalFile = (value: string): string | undefined => (value ? resolve(value) : undefined);

export function port(value: string): number {
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65535)
    throw new InvalidValue('a port number from 0 to 65535 (0: any free one)');
  return Number(value);
}

export const wholeNumber =
  (unit: string, min: number, max: number, allowsOff = false) =>
  (value: string): number => {
    if (allowsOff && value === 'off') return 0;
    if (!/^(0|[1-9]\d{0,5})$/.test(value) || Number(value) < min || Number(value) > max)
      throw new InvalidValue(`a whole number of ${unit} from ${min} to ${max}${allowsOff ? ', or off' : ''}`);
    return Number(value);
  };

export const portOrOff = (value: string): number | undefined => (value === 'off' ? undefined : port(value));

export const oneOf =
  <T extends string>(...choices: T[]) =>
  (value: string): T => {
    const found = choices.find((choice) => choice === value);
    if (found === undefined) throw new InvalidValue(`one of ${choices.join(', ')}`);
    return found;
  };

export function limitOrOff(value: string): number | undefined {
  if (value === 'off') return undefined;
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidValue('a whole number from 1 up, or off');
  return Number(value);
}

export function address(value: string): string {
  if (isIP(value) || /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i.test(value)) return value;
  throw new InvalidValue('an address or host name to listen on, such as 127.0.0.1 or 0.0.0.0');
}

export function faultRules(value: string): FaultRule[] {
  const rules = parseFaultRules(value);
  if (!rules) throw new InvalidValue(faultSyntax);
  return rules;
}

export function proxies(value: string): string[] {
  const list = value.split(',').map((item) => item.trim());
  if (!value) return [];
  for (const item of list) {
    const [host = '', prefix] = item.split('/');
    const bits = isIP(host) === 6 ? 128 : 32;
    if (!isIP(host) || (prefix !== undefined && (!/^\d{1,3}$/.test(prefix) || Number(prefix) > bits)))
      throw new InvalidValue('addresses or CIDR ranges separated by commas, such as 10.0.0.5,10.1.0.0/16');
  }
  return list;
}

const percentEncoding = 'write # as %23, / as %2F, ? as %3F, @ as %40 and % as %25';

/** `example` shows where user name and password are. */
export const url =
  (example: string, ...protocols: string[]) =>
  (value: string): string | undefined => {
    if (!value) return undefined;
    if (!protocols.some((protocol) => value.toLowerCase().startsWith(`${protocol}//`)))
      throw new InvalidValue(`a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`);
    if (parseSecretUrl(value)) return value;
    throw new InvalidValue(`a URL such as ${example}, with USER and PASSWORD percent-encoded: ${percentEncoding}`);
  };

const sslModes = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full'];
const sslParameters = ['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation'];

/**
 * The driver ignores unknown parameters and modes, so that a misspelt one would change the encryption silently. It treats
 * these modes as verify-full, with a warning that a later version will not.
 */
export function databaseUrl(value: string): string | undefined {
  const given = url('postgresql://USER:PASSWORD@HOST:5432/DATABASE', 'postgres:', 'postgresql:')(value);
  const { hostname, searchParams } = new URL(given ?? 'postgresql:');
  if (hostname.includes(',')) throw new InvalidValue('a URL with one host');
  for (const name of searchParams.keys()) {
    const similar = sslParameters.includes(name) ? undefined : findSimilar(name, sslParameters);
    if (similar) throw new InvalidValue(`a URL without the unknown parameter ${name}. Did you mean ${similar}?`);
  }
  const mode = searchParams.get('sslmode');
  if (mode !== null && !sslModes.includes(mode))
    throw new InvalidValue(`a URL whose sslmode is one of ${sslModes.join(', ')}`);
  if (searchParams.get('uselibpqcompat') === 'true') return given;
  return given?.replace(/([?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/, '$1verify-full');
}

export const engineUrl = url('https://USER:PASSWORD@HOST:8086', 'http:', 'https:');

/** Users see this URL in mails. */
export function publicUrl(value: string): string | undefined {
  const given = url('https://HOST', 'https:')(value);
  const { username, password } = new URL(given ?? 'https://none.invalid');
  if (username || password) throw new InvalidValue('a URL without user name and password');
  return given;
}
