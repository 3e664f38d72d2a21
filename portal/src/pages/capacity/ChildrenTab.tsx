// What a parent decides for its children: their subscriptions, and how many connectors they may have.
import { Alert, Select, Stack, Text } from '@mantine/core';
import { useOrganisations } from '../../api/organisations.ts';
import { useSearchParams } from '../../components/useSearchParams.ts';
import { ChildProducts } from './ChildProducts.tsx';
import { ChildSubscriptions } from './ChildSubscriptions.tsx';

export function ChildrenTab() {
  const { children } = useOrganisations();
  const [search, change] = useSearchParams();
  const child = children.find(({ id }) => id === search.child);
  return (
    <Stack>
      <Select
        label="Child"
        description="You decide these as its parent. Allocations to its groups are its own affair: act for it to change them."
        placeholder="Choose a child"
        searchable
        maw={420}
        data={children.map(({ id, name }) => ({ value: id, label: name }))}
        value={child?.id ?? null}
        onChange={(id) => change({ child: id ?? undefined })}
      />
      {search.child && !child && (
        <Alert color="yellow">
          <Text size="sm">There is no such child. Choose one of the list.</Text>
        </Alert>
      )}
      {child && (
        <>
          <ChildSubscriptions key={`subscriptions ${child.id}`} child={child} />
          <ChildProducts key={`pools ${child.id}`} child={child} />
        </>
      )}
    </Stack>
  );
}
