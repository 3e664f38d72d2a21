// Something that changes records: says that it was done, or why not, and has what it changed read again.
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiProblem, errorMessage } from '../api/problems.ts';
import { useApi } from '../api/scope.ts';

export function useApiMutation<Input, Output>(
  work: (input: Input) => Promise<Output>,
  options: { done?: string | ((output: Output) => string); onDone?: (output: Output) => void; isQuiet?: boolean } = {},
) {
  const queries = useQueryClient();
  const { scope } = useApi();
  return useMutation({
    mutationFn: work,
    onSuccess: async (output) => {
      const { done } = options;
      if (done)
        notifications.show({
          color: 'cord',
          message: typeof done === 'function' ? done(output) : done,
          role: 'status',
        });
      options.onDone?.(output);
      await queries.invalidateQueries({
        predicate: ({ queryKey: [first] }) => first === scope || first === 'me' || first === 'children',
      });
    },
    onError: (error) => {
      // Forms show what was wrong beside the fields.
      if (options.isQuiet) return;
      const id = error instanceof ApiProblem && error.requestId ? ` (request ${error.requestId})` : '';
      notifications.show({
        color: 'red',
        title: 'This did not work',
        message: `${errorMessage(error)}${id}`,
        autoClose: 15_000,
        role: 'alert',
      });
    },
  });
}
