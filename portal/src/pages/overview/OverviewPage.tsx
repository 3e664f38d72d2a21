import { SimpleGrid, Stack } from '@mantine/core';
import { useOrganisations } from '../../api/organisations.ts';
import { useCan } from '../../api/queries.ts';
import { Page } from '../../components/Page.tsx';
import { CapacityPanel } from './CapacityPanel.tsx';
import { HealthFigures } from './HealthFigures.tsx';
import { NeedsAttention } from './NeedsAttention.tsx';
import { RecentActivity } from './RecentActivity.tsx';

export default function OverviewPage() {
  const can = useCan();
  const { acting, own } = useOrganisations();
  const canListConnectors = can('GET', '/connectors');
  return (
    <Page title="Overview" about={acting?.name ?? own?.name}>
      <Stack>
        {canListConnectors && <HealthFigures />}
        <SimpleGrid cols={{ base: 1, lg: 2 }}>
          <Stack>
            {canListConnectors && <NeedsAttention />}
            {can('GET', '/audit') && <RecentActivity />}
          </Stack>
          <Stack>{can('GET', '/metrics/capacities/{region}') && <CapacityPanel />}</Stack>
        </SimpleGrid>
      </Stack>
    </Page>
  );
}
