import { Group, Text } from '@mantine/core';
import { statusDisplay, toneStyle } from '../../components/status.ts';
import { MarkerShape } from '../../components/world-map/WorldMap.tsx';
import classes from './Legend.module.css';
import type { LineStyle } from './line-styles.ts';

const meanings: Record<string, string> = { up: 'all up', warning: 'warning', down: 'down', unknown: 'unknown' };

export function LineLegend({ title, styles }: { title: string; styles: LineStyle[] }) {
  return (
    <Group gap="sm" component="ul" className={classes.legend} aria-label={title}>
      <Text component="li" size="sm" fw={600}>
        {title}
      </Text>
      {styles.map(({ label, tone, width, dash }) => (
        <Text key={label} component="li" size="sm" className={classes.item}>
          <svg width={34} height={10} aria-hidden className={classes.sample} style={toneStyle(tone)}>
            <line x1={3} x2={31} y1={5} y2={5} strokeWidth={width} strokeDasharray={dash} />
          </svg>
          {label}
        </Text>
      ))}
    </Group>
  );
}

export function MarkerLegend() {
  return (
    <Group gap="sm" component="ul" className={classes.legend} aria-label="Places">
      <Text component="li" size="sm" fw={600}>
        Places
      </Text>
      {statusDisplay.map(({ tone, word }) => (
        <Text key={word} component="li" size="sm" className={classes.item}>
          <span aria-hidden>
            <MarkerShape tone={tone} size={16} />
          </span>
          {meanings[word]}
        </Text>
      ))}
    </Group>
  );
}
