// npm run openapi: prints the API document with the neutral names, without starting a service.
import packageJson from '../../package.json' with { type: 'json' };
import { type ApiServices, createApiRoutes } from '../bootstrap/api-routes.ts';
import { openApiOptions } from '../bootstrap/openapi-options.ts';
import { neutralBrand } from '../brand-file.ts';
import { openApiDocument } from '../http/openapi/openapi-routes.ts';

// Creating the routes uses no service but the brand.
const routes = createApiRoutes({ brand: neutralBrand } as ApiServices);
const { version } = packageJson;
process.stdout.write(openApiDocument(routes, openApiOptions(neutralBrand, version)));
