import { Modal, Stack, Text, Title } from '@mantine/core';
import { useActingFor } from '../../api/scope.ts';
import { curlCommand } from '../../components/ApiCall.tsx';
import { CopyableText, CopyIconButton } from '../../components/CopyableText.tsx';
import { plural } from '../../components/format.ts';
import { queryPath, type SeriesQuery } from './metric-series.ts';
import { maxPoints, splitRange, type TimeRange } from './time-range.ts';

/** The same points as a program would ask for them. */
export function ApiCallsDialog({
  isOpen,
  onClose,
  wanted,
  span,
}: {
  isOpen: boolean;
  onClose: () => void;
  wanted: SeriesQuery[];
  span: TimeRange;
}) {
  const actingFor = useActingFor();
  const windows = splitRange(span);
  const first = windows[0] ?? span;
  return (
    <Modal opened={isOpen} onClose={onClose} title="As API call" size="lg">
      <Stack>
        <Text size="sm">
          GET, with your token as bearer. Send <code>Accept: text/csv</code> for the same points as CSV.
        </Text>
        {windows.length > 1 && (
          <Text size="sm">
            One answer has at most {maxPoints.toLocaleString('en')} points: this is the first of{' '}
            {plural(windows.length, 'call')}, each beginning where the one before ends.
          </Text>
        )}
        {wanted.map((one) => {
          const path = queryPath(one, first);
          return (
            <div key={`${one.irn} ${one.metric}`}>
              <Title order={3}>
                {one.label}{' '}
                <CopyIconButton
                  text={curlCommand('GET', path, undefined, actingFor)}
                  what={`the curl command: ${one.label}`}
                />
              </Title>
              <CopyableText text={`${window.location.origin}${path}`} what={`the address: ${one.label}`} />
            </div>
          );
        })}
      </Stack>
    </Modal>
  );
}
