// The typed API client: the compiler checks paths, parameters and bodies against the OpenAPI document.
import createFetchClient, { type Client } from 'openapi-fetch';
import type { Readable } from 'openapi-typescript-helpers';
import type { components, paths } from './schema.d.ts';

export { type FormField, forms } from './forms.ts';

export type { components, paths };
export type Api = Client<paths>;

/** Response schemas by their names in the OpenAPI document. */
export type Schemas = { [Name in keyof components['schemas']]: Readable<components['schemas'][Name]> };

export interface ClientOptions {
  baseUrl: string;
  fetch?: (request: Request) => Promise<Response>;
}

export const createClient = (options: ClientOptions): Api =>
  createFetchClient<paths>({
    ...options,
    // Array parameters are comma-separated.
    querySerializer: { array: { style: 'form', explode: false } },
  });
