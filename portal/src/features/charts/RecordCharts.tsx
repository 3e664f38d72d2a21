// Charts with a range picker, for the pages of connectors, links and groups.
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

export function ConnectorChartsTab({ irn, capacityBps }: { irn: string; capacityBps?: number | null }) {
  return (
    <WithRangePicker>
      {(range) => <ConnectorCharts irn={irn} capacityBps={capacityBps} range={range} />}
    </WithRangePicker>
  );
}

export function LinkChartsTab({ irn }: { irn: string }) {
  return <WithRangePicker>{(range) => <LinkCharts irn={irn} range={range} />}</WithRangePicker>;
}

export function GroupChartsTab({ irn }: { irn: string }) {
  return <WithRangePicker>{(range) => <GroupCharts irn={irn} range={range} />}</WithRangePicker>;
}
