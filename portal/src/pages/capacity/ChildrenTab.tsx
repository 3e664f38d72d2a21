// Subscriptions and product limits that a parent sets for its children.
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
        description="As parent you set subscriptions and products. To change allocations to its groups, act for the child."
        placeholder="Select a child"
        searchable
        maw={420}
        data={children.map(({ id, name }) => ({ value: id, label: name }))}
        value={child?.id ?? null}
        onChange={(id) => change({ child: id ?? undefined })}
      />
      {search.child && !child && (
        <Alert color="yellow">
          <Text size="sm">This child does not exist. Select one from the list.</Text>
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
