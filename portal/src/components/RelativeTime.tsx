import { Text, Tooltip } from '@mantine/core';
import { formatFullDateTime, formatRelative } from './format.ts';

/** How long ago, and the moment itself for who points at it. */
export function RelativeTime({ moment }: { moment: string | null | undefined }) {
  if (!moment) return <Text span>–</Text>;
  return (
    <Tooltip label={formatFullDateTime(moment)}>
      <time dateTime={moment}>{formatRelative(moment)}</time>
    </Tooltip>
  );
}
