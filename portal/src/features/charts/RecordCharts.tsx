// The graphs of a record, for its own page. The range that they show stands in the address of whichever page they are on.
import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { ConnectorCharts } from './ConnectorCharts.tsx';
import { GroupCharts } from './GroupCharts.tsx';
import { LinkCharts } from './LinkCharts.tsx';
import { RangePicker } from './RangePicker.tsx';
import { type RangeSelection, useRangeSelection } from './time-range.ts';

function WithRangePicker({ children }: { children: (range: RangeSelection) => ReactNode }) {
  const range = useRangeSelection();
  return (
    <Stack>
      <RangePicker range={range} />
      {children(range)}
    </Stack>
  );
}

export function ConnectorGraphs({ irn, capacityBps }: { irn: string; capacityBps?: number | null }) {
  return (
    <WithRangePicker>
      {(range) => <ConnectorCharts irn={irn} capacityBps={capacityBps} range={range} />}
    </WithRangePicker>
  );
}

export function LinkGraphs({ irn }: { irn: string }) {
  return <WithRangePicker>{(range) => <LinkCharts irn={irn} range={range} />}</WithRangePicker>;
}

export function GroupGraphs({ irn }: { irn: string }) {
  return <WithRangePicker>{(range) => <GroupCharts irn={irn} range={range} />}</WithRangePicker>;
}
