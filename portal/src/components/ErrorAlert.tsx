import { Alert, Button, Code, List, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { ApiProblem, errorMessage } from '../api/problems.ts';

/** What went wrong in the API's own sentence, field by field, with the id to give to the operator. */
export function ErrorAlert({ error, onRetry, title }: { error: unknown; onRetry?: () => void; title?: string }) {
  const problem = error instanceof ApiProblem ? error : undefined;
  return (
    <Alert color="red" role="alert" icon={<IconAlertTriangle aria-hidden />} title={title ?? 'This did not work'}>
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
