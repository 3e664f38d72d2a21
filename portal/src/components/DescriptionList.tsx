import { Paper, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './DescriptionList.module.css';

export type Fact = [name: string, value: ReactNode];

/** Names and values of a record, side by side. */
export function Facts({ title, facts }: { title?: string; facts: Fact[] }) {
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
