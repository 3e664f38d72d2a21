import { Alert, Button, Code, List, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { ApiProblem, errorMessage } from '../api/problems.ts';

/** An error with the API's message, its field details and the request id for the operator. */
export function ErrorAlert({ error, onRetry, title }: { error: unknown; onRetry?: () => void; title?: string }) {
  const problem = error instanceof ApiProblem ? error : undefined;
  return (
    <Alert color="red" role="alert" icon={<IconAlertTriangle aria-hidden />} title={title ?? 'The operation failed'}>
      <Text size="sm">{errorMessage(error)}</Text>
      {problem && problem.details.length > 0 && (
        <List size="sm" mt="xs">
          {problem.details.map(({ path, message }) => (
            <List.Item key={`${path} ${message}`}>
              <Code>{path}</Code> {message}
            </List.Item>
          ))}
        </List>
      )}
      {problem?.requestId && (
        <Text size="xs" mt="xs">
          {problem.code} · request <span className="mono">{problem.requestId}</span>
        </Text>
      )}
      {onRetry && (
        <Button size="xs" mt="sm" variant="default" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Alert>
  );
}
