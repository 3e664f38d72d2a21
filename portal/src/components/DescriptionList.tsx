import { Paper, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './DescriptionList.module.css';

export type DescriptionItem = [name: string, value: ReactNode];

/** Names and values of a record, side by side. */
export function DescriptionList({ title, facts }: { title?: string; facts: DescriptionItem[] }) {
  return (
    <Paper>
      {title && (
        <Title order={2} mb="sm">
          {title}
        </Title>
      )}
      <dl className={classes.facts}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value ?? '–'}</dd>
          </div>
        ))}
      </dl>
    </Paper>
  );
}
