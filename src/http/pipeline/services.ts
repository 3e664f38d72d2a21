// The services that the pipeline uses; service.ts provides them.
import type { Keys } from '../../host/key-file.ts';
import type { Store } from '../../store/database.ts';
import type { AuthorizationRules } from '../auth/authorize.ts';
import type { FieldNames } from '../request/field-names.ts';
import type { Route } from '../route.ts';
import type { ResponseCache } from './response-cache.ts';

export interface PipelineServices extends AuthorizationRules {
  store: Store;
  responseCache: ResponseCache;
  keys: Keys;
  fieldNames: FieldNames;
  /** The read route of each path, for If-Match. */
  reads: Map<string, Route>;
}
