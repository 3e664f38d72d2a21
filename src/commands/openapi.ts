// npm run openapi: prints the API document with the neutral names, without starting a service.
import packageJson from '../../package.json' with { type: 'json' };
import { describeApiRoutes } from '../bootstrap/api-routes.ts';
import { openApiOptions } from '../bootstrap/openapi-options.ts';
import { neutralBrand } from '../brand-file.ts';
import { openApiDocument } from '../http/openapi/openapi-routes.ts';

const routes = describeApiRoutes(neutralBrand);
const { version } = packageJson;
process.stdout.write(openApiDocument(routes, openApiOptions(neutralBrand, version)));
