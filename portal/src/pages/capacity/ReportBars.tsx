import { Group, Paper, Stack, Text, Title } from '@mantine/core';
import { formatBits } from '../../components/format.ts';
import type { ReportRow } from './report-rows.ts';
import classes from './UsageBar.module.css';

const segments = [
  { name: 'used', title: 'Used' },
  { name: 'allocated', title: 'Allocated, unused' },
  { name: 'subscribed', title: 'Subscribed, unallocated' },
] as const;

/** Stacked: used, allocated but unused, subscribed but unallocated. */
function segmentSizes({ used, allocated, subscribed = 0 }: ReportRow) {
  return {
    used,
    allocated: Math.max(0, allocated - used),
    subscribed: Math.max(0, subscribed - Math.max(allocated, used)),
  };
}

/** Organisations on a common scale. The table below has the same numbers. */
export function ReportBars({ rows }: { rows: ReportRow[] }) {
  const largest = Math.max(
    1,
    ...rows.map(({ used, allocated, subscribed = 0 }) => Math.max(used, allocated, subscribed)),
  );
  return (
    <Paper>
      <Stack gap="xs">
        <Title order={2}>By organisation</Title>
        <Group gap="md">
          {segments.map(({ name, title }) => (
            <Text key={name} size="sm">
              <span className={`${classes.swatch} ${classes[name]}`} aria-hidden />
              {title}
            </Text>
          ))}
        </Group>
        {rows.map((row) => {
          const widths = segmentSizes(row);
          return (
            <div key={row.id} className={classes.row}>
              <Text className="clip" size="sm">
                {row.name}
              </Text>
              <div
                className={classes.stack}
                role="img"
                aria-label={`${row.name}: ${formatBits(row.used)} used, ${formatBits(row.allocated)} allocated, ${formatBits(row.subscribed)} subscribed`}
              >
                {segments.map(({ name }) => (
                  <div
                    key={name}
                    className={classes[name]}
                    style={{ width: `${(widths[name] / largest) * 100}%` }}
                    hidden={widths[name] === 0}
                  />
                ))}
              </div>
            </div>
          );
        })}
      </Stack>
    </Paper>
  );
}
