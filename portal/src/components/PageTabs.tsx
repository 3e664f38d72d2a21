import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSearchParams } from './useSearchParams.ts';

export interface PageTab {
  id: string;
  title: string;
  content: () => ReactNode;
  isHidden?: boolean;
}

/** Tabs whose selection is the search parameter `tab`. */
export function PageTabs({ tabs }: { tabs: PageTab[] }) {
  const [search, change] = useSearchParams();
  const shown = tabs.filter(({ isHidden }) => !isHidden);
  const current = shown.find(({ id }) => id === search.tab) ?? shown[0];
  return (
    <Tabs
      value={current?.id ?? null}
      onChange={(id) => change({ tab: id === shown[0]?.id ? undefined : (id ?? undefined) })}
      keepMounted={false}
    >
      <Tabs.List mb="md">
        {shown.map(({ id, title }) => (
          <Tabs.Tab key={id} value={id}>
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {current && <Tabs.Panel value={current.id}>{current.content()}</Tabs.Panel>}
    </Tabs>
  );
}
