// A mutation through the API: notifies of the outcome and invalidates the queries of the scope.
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiProblem, errorMessage } from '../api/problems.ts';
import { useApi } from '../api/scope.ts';

interface MutationOptions<Output> {
  successMessage?: string | ((output: Output) => string);
  onSuccess?: (output: Output) => void;
  /** The form shows the error itself; no notification. */
  hasInlineError?: boolean;
}

export function notifySuccess(message: string): void {
  notifications.show({ color: 'accent', message, role: 'status' });
}

export function notifyError(title: string, error: unknown): void {
  const id = error instanceof ApiProblem && error.requestId ? ` (request ${error.requestId})` : '';
  notifications.show({
    color: 'red',
    title,
    message: `${errorMessage(error)}${id}`,
    autoClose: 15_000,
    role: 'alert',
  });
}

export function useApiMutation<Input, Output>(
  mutate: (input: Input) => Promise<Output>,
  { successMessage, onSuccess, hasInlineError }: MutationOptions<Output> = {},
) {
  const queries = useQueryClient();
  const { scope } = useApi();
  return useMutation({
    mutationFn: mutate,
    onSuccess: async (output) => {
      if (successMessage) notifySuccess(typeof successMessage === 'function' ? successMessage(output) : successMessage);
      onSuccess?.(output);
      await queries.invalidateQueries({
        predicate: ({ queryKey: [first] }) => first === scope || first === 'me' || first === 'children',
      });
    },
    onError: (error) => {
      if (!hasInlineError) notifyError('The operation failed', error);
    },
  });
}
