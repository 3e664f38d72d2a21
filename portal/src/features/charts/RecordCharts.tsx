// The graphs of a record, for its own page. The range that they show stands in the address of whichever page they are on.
import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { ConnectorCharts } from './ConnectorCharts.tsx';
import { GroupCharts } from './GroupCharts.tsx';
import { LinkCharts } from './LinkCharts.tsx';
import { RangeChoice } from './RangePicker.tsx';
import { type ShownRange, useRange } from './time-range.ts';

function WithRange({ children }: { children: (range: ShownRange) => ReactNode }) {
  const range = useRange();
  return (
    <Stack>
      <RangeChoice range={range} />
      {children(range)}
    </Stack>
  );
}

export function ConnectorGraphs({ irn, capacityBps }: { irn: string; capacityBps?: number | null }) {
  return <WithRange>{(range) => <ConnectorCharts irn={irn} capacityBps={capacityBps} range={range} />}</WithRange>;
}

export function LinkGraphs({ irn }: { irn: string }) {
  return <WithRange>{(range) => <LinkCharts irn={irn} range={range} />}</WithRange>;
}

export function GroupGraphs({ irn }: { irn: string }) {
  return <WithRange>{(range) => <GroupCharts irn={irn} range={range} />}</WithRange>;
}
