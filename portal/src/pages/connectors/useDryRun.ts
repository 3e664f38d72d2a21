// Validates a draft on the server while the user types, without creating anything.
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { unwrap } from '../../api/client.ts';
import { ApiProblem } from '../../api/problems.ts';
import { useApi } from '../../api/scope.ts';
import { problemsByField } from '../../components/EditRecordDialog.tsx';
import { type ConnectorDraft, toCreateBody } from './connector-draft.ts';

const debounceMs = 350;

export function useDryRun(draft: ConnectorDraft, isEnabled: boolean) {
  const { api, scope } = useApi();
  const [settled] = useDebouncedValue(draft, debounceMs);
  const query = useQuery({
    queryKey: [scope, 'connector check', settled],
    queryFn: () =>
      unwrap(api.POST('/flow/connector/check', { body: toCreateBody(settled) as never })).then(
        (accepted) => ({ accepted, problem: undefined }),
        (error) => {
          // A rejection is a result of the dry run, not an error.
          if (error instanceof ApiProblem && error.status < 500) return { accepted: undefined, problem: error };
          throw error;
        },
      ),
    enabled: isEnabled,
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
  });
  return {
    accepted: query.data?.accepted,
    problem: query.data?.problem,
    error: query.error,
    isSettled: settled === draft && !query.isFetching && query.data !== undefined,
  };
}

/** Error messages by field name, for fields that the user has changed. */
export function problemsOfTouched(problem: ApiProblem | undefined, touched: Set<string>): Record<string, string> {
  return Object.fromEntries(Object.entries(problemsByField(problem)).filter(([name]) => touched.has(name)));
}
