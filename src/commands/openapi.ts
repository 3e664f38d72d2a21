// npm run document: the API document in the neutral words, without starting a service. Routes describe themselves before anything is opened.

import { type ApiServices, createApiRoutes } from '../bootstrap/api-routes.ts';
import { neutralBrand } from '../brand.ts';
import { openApiDocument } from '../http/openapi/openapi-routes.ts';
import { version } from '../service.ts';

const routes = createApiRoutes({ brand: neutralBrand } as ApiServices);
process.stdout.write(openApiDocument(routes, { scopeHeader: neutralBrand.scopeHeader, version }));
