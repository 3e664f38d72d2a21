/** No permit or connection became free in time. */
export class AcquireTimeout extends Error {}
