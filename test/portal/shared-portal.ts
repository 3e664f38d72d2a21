// One service and one browser for all suites that a test file imports.
import { after } from 'node:test';
import { openPortal } from '../harness/browser.ts';

export const portal = await openPortal();
after(() => portal.close());
