// One's own profile and tokens stay one's own, whomever one acts for.
import { apiFor } from './client.ts';

export const ownApi = apiFor(undefined);
