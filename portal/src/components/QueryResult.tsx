import { Skeleton, Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorAlert } from './ErrorAlert.tsx';

/** Renders the data of a query; a skeleton while it loads, the error if it failed. */
export function QueryResult<T>({
  query,
  children,
  lines = 4,
}: {
  query: UseQueryResult<T>;
  children: (value: T) => ReactNode;
  lines?: number;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <ErrorAlert error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <Stack gap="sm" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, index) => `line ${index}`).map((line) => (
        <Skeleton key={line} height={22} />
      ))}
    </Stack>
  );
}
