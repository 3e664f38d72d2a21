// npm run document: the API document in the neutral words, without starting a service. Routes describe themselves before anything is opened.
import { neutralBrand } from '../brand.ts';
import { openApiDocument } from '../http/openapi/openapi-routes.ts';
import { allRoutes, type Parts, version } from '../service.ts';

const routes = allRoutes({ brand: neutralBrand } as Parts);
process.stdout.write(openApiDocument(routes, { scopeHeader: neutralBrand.scopeHeader, version }));
