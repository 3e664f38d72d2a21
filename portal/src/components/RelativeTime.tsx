import { Text, Tooltip } from '@mantine/core';
import { formatFullDateTime, formatRelative } from './format-time.ts';

/** Relative time with the full timestamp as tooltip. */
export function RelativeTime({ timestamp }: { timestamp: string | null | undefined }) {
  if (!timestamp) return <Text span>–</Text>;
  return (
    <Tooltip label={formatFullDateTime(timestamp)}>
      <time dateTime={timestamp}>{formatRelative(timestamp)}</time>
    </Tooltip>
  );
}
