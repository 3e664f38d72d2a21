import { Modal, Stack, Text, Title } from '@mantine/core';
import { useActingFor } from '../../api/scope.ts';
import { curlCommand } from '../../components/ApiCall.tsx';
import { CopyableText, CopyIconButton } from '../../components/CopyableText.tsx';
import { plural } from '../../components/format.ts';
import { queryPath, type SeriesQuery } from './metric-series.ts';
import { maxPoints, splitRange, type TimeRange } from './time-range.ts';

/** The API calls that return the points of a chart. */
export function ApiCallsDialog({
  isOpen,
  onClose,
  seriesQueries,
  timeRange,
}: {
  isOpen: boolean;
  onClose: () => void;
  seriesQueries: SeriesQuery[];
  timeRange: TimeRange;
}) {
  const actingFor = useActingFor();
  const windows = splitRange(timeRange);
  const first = windows[0] ?? timeRange;
  return (
    <Modal opened={isOpen} onClose={onClose} title="API calls" size="lg">
      <Stack>
        <Text size="sm">
          GET with your token as bearer token. With <code>Accept: text/csv</code> the response is CSV.
        </Text>
        {windows.length > 1 && (
          <Text size="sm">
            A response has at most {maxPoints.toLocaleString('en')} points: this is the first of{' '}
            {plural(windows.length, 'call')}; each starts where the previous one ends.
          </Text>
        )}
        {seriesQueries.map((seriesQuery) => {
          const path = queryPath(seriesQuery, first);
          return (
            <div key={`${seriesQuery.irn} ${seriesQuery.metric}`}>
              <Title order={3}>
                {seriesQuery.label}{' '}
                <CopyIconButton
                  text={curlCommand('GET', path, undefined, actingFor)}
                  what={`the curl command: ${seriesQuery.label}`}
                />
              </Title>
              <CopyableText text={`${window.location.origin}${path}`} what={`the URL: ${seriesQuery.label}`} />
            </div>
          );
        })}
      </Stack>
    </Modal>
  );
}
