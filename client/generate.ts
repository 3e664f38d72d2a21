// npm run client: generates types and form fields from the OpenAPI document on standard input.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import openapiTypescript, { astToString } from 'openapi-typescript';

const banner = '// Generated from the OpenAPI document by npm run client. Do not edit.\n';

interface Operation {
  description?: string;
  responses: Record<string, object>;
}

const problemResponse = {
  description: 'What was wrong, and what to do about it',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } },
};

/** Replaces all error responses by one default response: the types are a quarter as long. */
function withDefaultProblem(document: { paths: Record<string, Record<string, Operation>> }): object {
  for (const operation of Object.values(document.paths).flatMap((item) => Object.values(item))) {
    delete operation.description;
    const successes = Object.entries(operation.responses).filter(([status]) => Number(status) < 400);
    operation.responses = { ...Object.fromEntries(successes), default: problemResponse };
  }
  return document;
}

export const typesOf = async (document: string): Promise<string> =>
  banner +
  astToString(await openapiTypescript(JSON.stringify(withDefaultProblem(JSON.parse(document))), { silent: true }));

interface Schema {
  type?: string;
  enum?: string[];
  description?: string;
  anyOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  'x-secret'?: boolean;
  'x-alias'?: boolean;
}

/** The properties that a form needs; the server validates the rest. */
function fieldOf(name: string, schema: Schema, required: string[]): object {
  const variants = [schema, ...(schema.anyOf ?? [])];
  const choices = variants.find((variant) => variant.enum)?.enum;
  const help = variants.find((variant) => variant.description)?.description ?? '';
  const isNumber = variants.some(({ type }) => type === 'integer') && !variants.some(({ type }) => type === 'string');
  return {
    name,
    help,
    isRequired: required.includes(name),
    isSecret: variants.some((variant) => variant['x-secret']),
    ...(choices ? { choices } : {}),
    ...(isNumber ? { isNumber } : {}),
  };
}

/** The fields of each provider family and of a site, in document order. */
export function formsOf(document: string): string {
  const { schemas } = JSON.parse(document).components as { schemas: Record<string, Schema> };
  const families = Object.keys(schemas['csp.create']?.properties ?? {}).filter((name) => `${name}.create` in schemas);
  const forms = [...families, 'entreprise'].map((family) => {
    const whole = schemas[`${family}.create`] ?? {};
    // Required fields with several spellings.
    const spellings = (whole.allOf ?? []).flatMap(({ anyOf = [] }) => anyOf);
    const fields = [...spellings, whole].flatMap(({ properties = {}, required = [] }) =>
      Object.entries(properties)
        .filter(([, schema]) => !schema['x-alias'])
        .map(([name, schema]) => fieldOf(name, schema, required)),
    );
    return [family, fields];
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
