import { Group, Text } from '@mantine/core';
import { statusDisplay } from '../../components/StatusBadges.tsx';
import { toneStyle } from '../../components/tone-style.ts';
import { MarkerShape } from '../../components/world-map/WorldMap.tsx';
import classes from './Legend.module.css';
import type { LineStyle } from './link-loads.ts';

const meanings: Record<string, string> = { up: 'all up', warning: 'a warning', down: 'one down', unknown: 'not known' };

/** What the lines mean. */
export function LineLegend({ title, steps }: { title: string; steps: LineStyle[] }) {
  return (
    <Group gap="sm" component="ul" className={classes.legend} aria-label={title}>
      <Text component="li" size="sm" fw={600}>
        {title}
      </Text>
      {steps.map(({ word, tone, width, dash }) => (
        <Text key={word} component="li" size="sm" className={classes.item}>
          <svg width={34} height={10} aria-hidden className={classes.sample} style={toneStyle(tone)}>
            <line x1={3} x2={31} y1={5} y2={5} strokeWidth={width} strokeDasharray={dash} />
          </svg>
          {word}
        </Text>
      ))}
    </Group>
  );
}

/** What the marks mean. */
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
