// Brand files rename headers, fields and families for clients that were written for other names, and give the portal and
// the mails the name and look of the operator. Requests may use both the neutral and the brand's names. No other module
// contains brand names.
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { ConnectorKind } from './connector-kinds/connector-kind.ts';
import { OperatorError } from './errors/operator-error.ts';
import type { FieldNameMap } from './http/request/field-names.ts';
import { darkPrimary, deriveAccentColours, findColourError, isColour } from './http/server/portal-colours.ts';
import type { PortalBrand } from './http/server/portal-files.ts';
import { readLogo } from './http/server/portal-logo.ts';
import {
  defaultMailTexts,
  findSignatureError,
  findTemplateError,
  type MailKind,
  type MailTemplate,
  type MailTexts,
} from './mail/mail-texts.ts';

export interface Brand {
  /** Where it was read from; undefined for the neutral one. */
  file: string | undefined;
  /** The name of the scope header in the documentation. */
  scopeHeader: string;
  /** All accepted names of the scope header. */
  scopeHeaders: string[];
  /** Renamed fields of bodies, responses and parameters. */
  keys: Record<string, string>;
  values: FieldNameMap['values'];
  /** The unit of a group's allocatedCapacity. */
  groupCapacityUnit: 'bps' | 'kbps';
  portal: PortalBrand;
  /** The display name of the sender of mails; undefined: that of the setting. */
  mailSender: string | undefined;
  mailTexts: MailTexts;
}

interface BrandFile {
  scopeHeader: string;
  families: Record<string, string>;
  fields: Record<string, string>;
  groupCapacityUnit: 'bps' | 'kbps';
  portal: unknown;
  mail: unknown;
}

/** The name without a brand. */
const productName = 'Patchbay';

const neutral: BrandFile = {
  scopeHeader: 'Service-Scope',
  families: {},
  fields: {},
  groupCapacityUnit: 'bps',
  portal: {},
  mail: {},
};
const headerName = /^[A-Za-z][A-Za-z0-9-]{0,62}$/;
const fieldName = /^[A-Za-z][A-Za-z0-9_]{0,62}$/;

const isNameMap = (value: unknown): value is Record<string, string> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((name) => typeof name === 'string' && fieldName.test(name));

const reservedHeader =
  /^(authorization|content-.*|cookie|host|idempotency-key|if-.*|gateway-request-id|x-forwarded-.*|forwarded)$/i;
/** Returns the first error in the content of a brand file. */
function findError(content: unknown, providers: ConnectorKind[]): string | undefined {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return 'must contain one JSON object';
  const unknown = Object.keys(content).filter((key) => !(key in neutral));
  if (unknown.length) return `has unknown keys: ${unknown.join(', ')} (known: ${Object.keys(neutral).join(', ')})`;
  const { scopeHeader, families, fields, groupCapacityUnit } = { ...neutral, ...content };
  if (typeof scopeHeader !== 'string' || !headerName.test(scopeHeader) || reservedHeader.test(scopeHeader))
    return 'must give scopeHeader as the name of an HTTP header that has no other meaning';
  if (!isNameMap(families)) return 'must give families as an object from name to name';
  if (!isNameMap(fields)) return 'must give fields as an object from name to name';
  const familyNames = providers.map(({ name }) => name);
  const unknownFamilies = Object.keys(families).filter((name) => !familyNames.includes(name));
  if (unknownFamilies.length)
    return `renames unknown families: ${unknownFamilies.join(', ')} (known: ${familyNames.join(', ')})`;
  const misplaced = Object.keys(fields).filter((name) => familyNames.includes(name));
  if (misplaced.length) return `renames ${misplaced.join(', ')} under fields, which is a family`;
  if (groupCapacityUnit !== 'bps' && groupCapacityUnit !== 'kbps') return 'must give groupCapacityUnit as bps or kbps';
  return undefined;
}

/** `providerAAccount` with the brand's name for providerA; the longest family that matches counts. */
function renameField(name: string, families: Record<string, string>): string | undefined {
  const match = Object.keys(families)
    .filter((family) => name.startsWith(family) && name.length > family.length)
    .sort((a, b) => b.length - a.length)[0];
  return match && `${families[match]}${name.slice(match.length)}`;
}

/** The message completes "The brand file …". */
class InvalidBrand extends Error {}
const invalid = (reason: string): never => {
  throw new InvalidBrand(reason);
};

type Fields<Key extends string> = Partial<Record<Key, unknown>>;

function objectAt<Key extends string>(path: string, value: unknown, known: Key[]): Fields<Key> {
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return invalid(`must give ${path} as an object`);
  const unknown = Object.keys(value).filter((key) => !(known as string[]).includes(key));
  if (unknown.length) invalid(`has unknown keys in ${path}: ${unknown.join(', ')} (known: ${known.join(', ')})`);
  return value as Fields<Key>;
}

/** Line breaks would end a mail header; characters that change the direction of text disguise names. */
const control = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

function lineAt(path: string, value: unknown, maxLength: number): string | undefined {
  if (value === undefined) return undefined;
  const isLine = typeof value === 'string' && value !== '' && value.trim() === value && !control.test(value);
  return isLine && [...value].length <= maxLength
    ? value
    : invalid(
        `must give ${path} as one line of 1 to ${maxLength} characters, without control characters or outer spaces`,
      );
}

const maxLines = 100;
const maxLineBytes = 500;

/** A text as a list of lines. */
function textAt(path: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const isText =
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= maxLines &&
    value.every((line) => typeof line === 'string' && !control.test(line) && Buffer.byteLength(line) <= maxLineBytes);
  return isText
    ? value.join('\n')
    : invalid(
        `must give ${path} as a list of 1 to ${maxLines} lines of at most ${maxLineBytes} bytes each, without control characters`,
      );
}

/** One value for both colour schemes, or an object with one for each. */
function schemesAt(path: string, value: unknown): { light: unknown; dark: unknown; isSingle: boolean } {
  if (typeof value === 'string') return { light: value, dark: value, isSingle: true };
  const { light, dark } = objectAt(path, value, ['light', 'dark']);
  if (light === undefined || dark === undefined) return invalid(`must give ${path} as a text, or as light and dark`);
  return { light, dark, isSingle: false };
}

function readColours(value: unknown): PortalBrand['colours'] {
  const { primary } = objectAt('portal.colours', value, ['primary']);
  if (primary === undefined) return undefined;
  const path = 'portal.colours.primary';
  const { light, dark, isSingle } = schemesAt(path, primary);
  if (!isColour(light) || !isColour(dark)) return invalid(`must give ${path} in hexadecimal, such as #0b5c6b`);
  const chosenDark = isSingle ? darkPrimary(light) : dark;
  for (const [colour, scheme] of [
    [light, 'light'],
    [chosenDark, 'dark'],
  ] as const) {
    const error = findColourError(colour, scheme);
    if (error) invalid(`gives ${path} as ${colour}, which has ${error}`);
  }
  return { light: deriveAccentColours(light, 'light'), dark: deriveAccentColours(chosenDark, 'dark') };
}

async function readLogos(value: unknown, folder: string): Promise<PortalBrand['logo']> {
  if (value === undefined) return undefined;
  const { light, dark } = schemesAt('portal.logo', value);
  const read = (name: unknown) => {
    if (typeof name !== 'string' || name === '') return invalid('must give portal.logo as the name of a file');
    return readLogo(resolve(folder, name)).catch((error) =>
      invalid(`names portal.logo ${name}, which ${error.message}`),
    );
  };
  return { light: await read(light), dark: await read(dark) };
}

const mailAddress = /^[^\s@<>"]{1,64}@[^\s@<>"]+\.[^\s@<>"]+$/;

async function readPortal(value: unknown, folder: string): Promise<PortalBrand> {
  const given = objectAt('portal', value, ['name', 'logo', 'colours', 'supportUrl', 'supportEmail']);
  const supportUrl = lineAt('portal.supportUrl', given.supportUrl, 500);
  if (supportUrl && !(URL.canParse(supportUrl) && new URL(supportUrl).protocol === 'https:'))
    invalid('must give portal.supportUrl as a URL that starts with https://');
  const supportEmail = lineAt('portal.supportEmail', given.supportEmail, 254);
  if (supportEmail && !mailAddress.test(supportEmail)) invalid('must give portal.supportEmail as a mail address');
  return {
    name: lineAt('portal.name', given.name, 60) ?? productName,
    logo: await readLogos(given.logo, folder),
    colours: readColours(given.colours),
    supportUrl,
    supportEmail,
  };
}

function readTemplate(kind: MailKind, value: unknown): MailTemplate {
  const path = `mail.${kind}`;
  const { subject, text } = objectAt(path, value, ['subject', 'text']);
  const template = {
    subject: lineAt(`${path}.subject`, subject, 150) ?? defaultMailTexts[kind].subject,
    text: textAt(`${path}.text`, text) ?? defaultMailTexts[kind].text,
  };
  const error = findTemplateError(kind, template);
  if (error) invalid(`is wrong at ${path}: ${error}`);
  return template;
}

function readMail(value: unknown, name: string): Pick<Brand, 'mailSender' | 'mailTexts'> {
  const given = objectAt('mail', value, ['fromName', 'signature', 'passwordReset', 'accountChange']);
  const signature = textAt('mail.signature', given.signature) ?? '';
  const error = findSignatureError(signature);
  if (error) invalid(`is wrong at mail.signature: ${error}`);
  return {
    mailSender: lineAt('mail.fromName', given.fromName, 60),
    mailTexts: {
      name,
      passwordReset: readTemplate('passwordReset', given.passwordReset),
      accountChange: readTemplate('accountChange', given.accountChange),
      signature,
    },
  };
}

type Look = Pick<Brand, 'file' | 'portal' | 'mailSender' | 'mailTexts'>;

const neutralLook: Look = {
  file: undefined,
  portal: {
    name: productName,
    logo: undefined,
    colours: undefined,
    supportUrl: undefined,
    supportEmail: undefined,
  },
  mailSender: undefined,
  mailTexts: { ...defaultMailTexts, name: productName },
};

async function readLook(file: string, content: Partial<BrandFile>): Promise<Look> {
  const portal = await readPortal(content.portal, dirname(file));
  return { file, portal, ...readMail(content.mail, portal.name) };
}

function createBrand(content: BrandFile, providers: ConnectorKind[], look: Look): Brand {
  const keys: Record<string, string> = { ...content.families };
  for (const kind of providers)
    for (const { name, writeName } of kind.fields)
      for (const field of [name, writeName]) {
        const renamed = renameField(field, content.families);
        if (renamed) keys[field] = renamed;
      }
  return {
    scopeHeader: content.scopeHeader,
    scopeHeaders:
      content.scopeHeader.toLowerCase() === neutral.scopeHeader.toLowerCase()
        ? [content.scopeHeader]
        : [neutral.scopeHeader, content.scopeHeader],
    keys: { ...keys, ...content.fields },
    values: content.families,
    groupCapacityUnit: content.groupCapacityUnit,
    ...look,
  };
}

export const neutralBrand = createBrand(neutral, [], neutralLook);

export async function loadBrand(file: string | undefined, providers: ConnectorKind[]): Promise<Brand> {
  if (!file) return createBrand(neutral, providers, neutralLook);
  const reject = (reason: string): never => {
    throw new OperatorError(`The brand file ${file} ${reason}.`);
  };
  const text = await readFile(file, 'utf8').catch((error) => reject(`cannot be read: ${error.message}`));
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    return reject(`is not valid JSON: ${(error as Error).message}`);
  }
  const error = findError(content, providers);
  if (error) return reject(error);
  const given = content as Partial<BrandFile>;
  const look = await readLook(file, given).catch((error) => {
    if (error instanceof InvalidBrand) return reject(error.message);
    throw error;
  });
  return createBrand({ ...neutral, ...given }, providers, look);
}

/** Renaming must be reversible: every key must be a field of the API, and every new name must be unique. */
export function rejectAmbiguousBrand(brand: Brand, names: Set<string>): void {
  const reject = (reason: string): never => {
    throw new OperatorError(`The brand file ${brand.file} ${reason}.`);
  };
  const internalNames = new Map<string, string>();
  for (const [internal, wire] of Object.entries(brand.keys)) {
    if (!names.has(internal)) reject(`renames ${internal}, which is not a field of the API`);
    const other = internalNames.get(wire) ?? (names.has(wire) && wire !== internal ? wire : undefined);
    if (other === wire) reject(`renames ${internal} to ${wire}, which is a field of the API`);
    if (other) reject(`renames ${internal} to ${wire}, which is also the name of ${other}`);
    internalNames.set(wire, internal);
  }
}
