import { Container } from '@mantine/core';
import { ErrorAlert } from '../components/ErrorAlert.tsx';

/** A page that failed to show itself. */
export function ErrorPage({ error, reset }: { error: unknown; reset: () => void }) {
  return (
    <Container size="sm" p="xl">
      <ErrorAlert error={error} onRetry={reset} title="This page could not be shown" />
    </Container>
  );
}
