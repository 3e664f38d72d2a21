// The typed client of the API: every path, parameter, body and answer is checked by the compiler against the API document.
import createFetchClient, { type Client } from 'openapi-fetch';
import type { Readable } from 'openapi-typescript-helpers';
import type { components, paths } from './schema.d.ts';

export { type FormField, forms } from './forms.ts';

export type { components, paths };
export type Api = Client<paths>;

/** Records by their names in the document, as answers have them. */
export type Schemas = { [Name in keyof components['schemas']]: Readable<components['schemas'][Name]> };

export interface ClientOptions {
  baseUrl: string;
  fetch?: (request: Request) => Promise<Response>;
}

export const createClient = (options: ClientOptions): Api =>
  createFetchClient<paths>({
    ...options,
    // Lists of values are separated by commas, as the document says.
    querySerializer: { array: { style: 'form', explode: false } },
  });
