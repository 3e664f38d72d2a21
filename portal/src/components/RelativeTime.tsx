import { Text, Tooltip } from '@mantine/core';
import { ago, exactly } from './format.ts';

/** How long ago, and the moment itself for who points at it. */
export function When({ moment }: { moment: string | null | undefined }) {
  if (!moment) return <Text span>–</Text>;
  return (
    <Tooltip label={exactly(moment)}>
      <time dateTime={moment}>{ago(moment)}</time>
    </Tooltip>
  );
}
