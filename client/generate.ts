// npm run client: the types of the API, made from its document, which is read from standard input.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import openapiTypescript, { astToString } from 'openapi-typescript';

const banner = '// Made from the API document by npm run client. Do not edit.\n';

interface Operation {
  description?: string;
  responses: Record<string, object>;
}

const refusal = {
  description: 'What was wrong, and what to do about it',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } },
};

/** All refusals have one shape: said once, the types are a quarter as long. */
function withOneRefusal(document: { paths: Record<string, Record<string, Operation>> }): object {
  for (const operation of Object.values(document.paths).flatMap((item) => Object.values(item))) {
    delete operation.description;
    const good = Object.entries(operation.responses).filter(([status]) => Number(status) < 400);
    operation.responses = { ...Object.fromEntries(good), default: refusal };
  }
  return document;
}

export const typesOf = async (document: string): Promise<string> =>
  banner + astToString(await openapiTypescript(JSON.stringify(withOneRefusal(JSON.parse(document))), { silent: true }));

interface Schema {
  type?: string;
  enum?: string[];
  description?: string;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  'x-secret'?: boolean;
}

/** What a form must know of a field: the rest are the server's own rules, which it is asked for. */
function fieldOf(name: string, schema: Schema, required: string[]): object {
  const kinds = [schema, ...(schema.anyOf ?? [])];
  const choices = kinds.find((one) => one.enum)?.enum;
  const help = kinds.find((one) => one.description)?.description ?? '';
  const isNumber = kinds.some(({ type }) => type === 'integer') && !kinds.some(({ type }) => type === 'string');
  return {
    name,
    help,
    isRequired: required.includes(name),
    isSecret: kinds.some((one) => one['x-secret']),
    ...(choices ? { choices } : {}),
    ...(isNumber ? { isNumber } : {}),
  };
}

/** The fields of each family of destinations and of a site, in the order of the document. */
export function formsOf(document: string): string {
  const { schemas } = JSON.parse(document).components as { schemas: Record<string, Schema> };
  const families = Object.keys(schemas['csp.create']?.properties ?? {}).filter((name) => `${name}.create` in schemas);
  const forms = [...families, 'entreprise'].map((family) => {
    const { properties = {}, required = [] } = schemas[`${family}.create`] ?? {};
    return [family, Object.entries(properties).map(([name, schema]) => fieldOf(name, schema, required))];
  });
  const type =
    '{ name: string; help: string; isRequired: boolean; isSecret: boolean; choices?: string[]; isNumber?: boolean }';
  return `${banner}export type FormField = ${type};\n\nexport const forms: Record<string, FormField[]> = ${JSON.stringify(Object.fromEntries(forms), null, 2)};\n`;
}

if (import.meta.main) {
  const document = await text(process.stdin);
  await writeFile(join(import.meta.dirname, 'schema.d.ts'), await typesOf(document));
  await writeFile(join(import.meta.dirname, 'forms.ts'), formsOf(document));
}
