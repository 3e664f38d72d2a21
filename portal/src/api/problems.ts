// API errors: message, problem code, field details, and the request id that the operator finds in the log.
export interface FieldProblem {
  path: string;
  message: string;
}

export class ApiProblem extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string;
  readonly details: FieldProblem[];

  constructor(status: number, body: { error: string; code: string; requestId: string; details?: FieldProblem[] }) {
    super(body.error);
    this.name = 'ApiProblem';
    this.status = status;
    this.code = body.code;
    this.requestId = body.requestId;
    this.details = body.details ?? [];
  }
}

const isProblem = (body: unknown): body is ConstructorParameters<typeof ApiProblem>[1] =>
  typeof body === 'object' && body !== null && 'error' in body && 'code' in body;

export function problemFromBody(response: Response, body: unknown): ApiProblem {
  if (isProblem(body)) return new ApiProblem(response.status, body);
  return new ApiProblem(response.status, {
    error: `The response has status ${response.status} and no problem details. A proxy may have sent it.`,
    code: 'Unexplained',
    requestId: response.headers.get('gateway-request-id') ?? '',
  });
}

export const problemFromResponse = async (response: Response): Promise<ApiProblem> =>
  problemFromBody(response, await response.json().catch(() => undefined));

/** The message to show for any thrown value. */
export function errorMessage(error: unknown): string {
  if (error instanceof ApiProblem) return error.message;
  // Each browser words a network error differently; any other TypeError is a bug.
  if (error instanceof TypeError && /fetch|network|load failed/i.test(error.message))
    return 'The service cannot be reached. Your input is kept; try again in a moment.';
  return error instanceof Error ? error.message : String(error);
}
