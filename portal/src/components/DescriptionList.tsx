import { Paper, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './DescriptionList.module.css';

export type DescriptionItem = [name: string, value: ReactNode];

/** Names and values of a record. */
export function DescriptionList({ title, items }: { title?: string; items: DescriptionItem[] }) {
  return (
    <Paper>
      {title && (
        <Title order={2} mb="sm">
          {title}
        </Title>
      )}
      <dl className={classes.items}>
        {items.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value ?? '–'}</dd>
          </div>
        ))}
      </dl>
    </Paper>
  );
}
