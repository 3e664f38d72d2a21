import { Container } from '@mantine/core';
import { Failure } from '../components/ErrorAlert.tsx';

/** A page that failed to show itself. */
export function Broken({ error, reset }: { error: unknown; reset: () => void }) {
  return (
    <Container size="sm" p="xl">
      <Failure error={error} onRetry={reset} title="This page could not be shown" />
    </Container>
  );
}
