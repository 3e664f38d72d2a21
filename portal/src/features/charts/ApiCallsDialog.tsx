import { Modal, Stack, Text, Title } from '@mantine/core';
import { useActingFor } from '../../api/scope.ts';
import { curlOf } from '../../components/ApiCall.tsx';
import { Copy, Copyable } from '../../components/CopyableText.tsx';
import { plural } from '../../components/format.ts';
import { pathOf, type Wanted } from './metric-series.ts';
import { mostPoints, type Span, windowsOf } from './time-range.ts';

/** The same points as a program would ask for them. */
export function CallsDialog({
  isOpen,
  onClose,
  wanted,
  span,
}: {
  isOpen: boolean;
  onClose: () => void;
  wanted: Wanted[];
  span: Span;
}) {
  const actingFor = useActingFor();
  const windows = windowsOf(span);
  const first = windows[0] ?? span;
  return (
    <Modal opened={isOpen} onClose={onClose} title="As API call" size="lg">
      <Stack>
        <Text size="sm">
          GET, with your token as bearer. Send <code>Accept: text/csv</code> for the same points as CSV.
        </Text>
        {windows.length > 1 && (
          <Text size="sm">
            One answer has at most {mostPoints.toLocaleString('en')} points: this is the first of{' '}
            {plural(windows.length, 'call')}, each beginning where the one before ends.
          </Text>
        )}
        {wanted.map((one) => {
          const path = pathOf(one, first);
          return (
            <div key={`${one.irn} ${one.metric}`}>
              <Title order={3}>
                {one.label}{' '}
                <Copy text={curlOf('GET', path, undefined, actingFor)} what={`the curl command: ${one.label}`} />
              </Title>
              <Copyable text={`${window.location.origin}${path}`} what={`the address: ${one.label}`} />
            </div>
          );
        })}
      </Stack>
    </Modal>
  );
}
