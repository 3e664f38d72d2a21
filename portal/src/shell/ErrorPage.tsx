import { Container } from '@mantine/core';
import { ErrorAlert } from '../components/ErrorAlert.tsx';

/** Shown if rendering a page throws. */
export function ErrorPage({ error, reset }: { error: unknown; reset: () => void }) {
  return (
    <Container size="sm" p="xl">
      <ErrorAlert error={error} onRetry={reset} title="This page cannot be displayed" />
    </Container>
  );
}
