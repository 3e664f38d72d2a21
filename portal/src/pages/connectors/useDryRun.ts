// The server's own rules, asked while one types: it says what creating this would say, and does nothing.
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { unwrap } from '../../api/client.ts';
import { ApiProblem } from '../../api/problems.ts';
import { useApi } from '../../api/scope.ts';
import { type ConnectorDraft, toCreateBody } from './connector-draft.ts';

const debounceMs = 350;

export function useDryRun(draft: ConnectorDraft, isAsked: boolean) {
  const { api, scope } = useApi();
  const [settled] = useDebouncedValue(draft, debounceMs);
  const query = useQuery({
    queryKey: [scope, 'connector check', settled],
    queryFn: () =>
      unwrap(api.POST('/flow/connector/check', { body: toCreateBody(settled) as never })).then(
        (prospect) => ({ prospect, problem: undefined }),
        (error) => {
          // A refusal is what was asked for.
          if (error instanceof ApiProblem && error.status < 500) return { prospect: undefined, problem: error };
          throw error;
        },
      ),
    enabled: isAsked,
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
  });
  return {
    prospect: query.data?.prospect,
    problem: query.data?.problem,
    error: query.error,
    isSettled: settled === draft && !query.isFetching && query.data !== undefined,
  };
}

/** What creation would say about each field, in its words; about those that were not touched yet, only that they are needed. */
export function problemsOfTouched(problem: ApiProblem | undefined, touched: Set<string>): Record<string, string> {
  const named = (problem?.details ?? []).map(({ path, message }): [string, string] => [
    path.split('.').at(-1) ?? path,
    message,
  ]);
  return Object.fromEntries(named.filter(([name]) => touched.has(name)));
}
