import { Button, Group, Paper, SegmentedControl, Switch, Text, TextInput } from '@mantine/core';
import { IconZoomReset } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { timeZone, toLocalInput } from '../../components/format-time.ts';
import type { Preset, RangeSelection } from './time-range.ts';

const choices = [
  { value: 'day', label: 'Day' },
  { value: 'week', label: 'Week' },
  { value: 'month', label: 'Month' },
  { value: 'year', label: 'Year' },
  { value: 'custom', label: 'Custom' },
];

function CustomRangeForm({ range }: { range: RangeSelection }) {
  const [problem, setProblem] = useState<string>();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const [from, to] = ['from', 'to'].map((name) => Date.parse(String(form.get(name))));
    const isValid = from !== undefined && to !== undefined && from < to;
    setProblem(isValid ? undefined : 'Must be after From');
    if (isValid) range.selectCustom(from, to);
  };
  return (
    <form onSubmit={submit}>
      <Group gap="xs" align="flex-start">
        <TextInput
          type="datetime-local"
          name="from"
          label="From"
          defaultValue={toLocalInput(new Date(range.fromMs).toISOString())}
          required
        />
        <TextInput
          type="datetime-local"
          name="to"
          label="To"
          defaultValue={toLocalInput(new Date(range.toMs).toISOString())}
          error={problem}
          required
        />
        <Button type="submit" variant="default" mt={25}>
          Apply
        </Button>
      </Group>
    </form>
  );
}

/** Day, week, month, year or a custom range, as search parameters. */
export function RangePicker({ range }: { range: RangeSelection }) {
  const { isCustom, preset, isFine, canBeFine } = range;
  const select = (value: string) =>
    value === 'custom' ? range.selectCustom(range.fromMs, range.toMs) : range.selectPreset(value as Preset);
  return (
    <Paper component="section" aria-label="Range">
      <Group gap="md" align="flex-end">
        <SegmentedControl
          data={choices}
          value={isCustom ? 'custom' : preset}
          onChange={select}
          aria-label="Range"
          name="range"
        />
        {isCustom && <CustomRangeForm key={`${range.fromMs} ${range.toMs}`} range={range} />}
        {isCustom && (
          <Button variant="default" onClick={range.reset} leftSection={<IconZoomReset size={16} aria-hidden />}>
            Reset
          </Button>
        )}
        {canBeFine && (
          <Switch
            label="5-minute points"
            mb={8}
            checked={isFine}
            onChange={(event) => range.setFine(event.currentTarget.checked)}
          />
        )}
      </Group>
      <Text size="xs" c="dimmed" mt={6}>
        Times are in your time zone ({timeZone}). Drag over a chart to zoom in.
      </Text>
    </Paper>
  );
}
