import { SimpleGrid, Stack } from '@mantine/core';
import { useOrganisations } from '../../api/organisations.ts';
import { useCan } from '../../api/queries.ts';
import { Page } from '../../components/Page.tsx';
import { CapacityPanel } from './CapacityPanel.tsx';
import { HealthFigures } from './HealthFigures.tsx';
import { NeedsAttention } from './NeedsAttention.tsx';
import { RecentActivity } from './RecentActivity.tsx';

/** How the network is, and what happened lately: each part for those who may see it. */
export default function OverviewPage() {
  const may = useCan();
  const { acting, own } = useOrganisations();
  const seesNetwork = may('GET', '/connectors');
  return (
    <Page title="Overview" about={acting?.name ?? own?.name}>
      <Stack>
        {seesNetwork && <HealthFigures />}
        <SimpleGrid cols={{ base: 1, lg: 2 }}>
          <Stack>
            {seesNetwork && <NeedsAttention />}
            {may('GET', '/audit') && <RecentActivity />}
          </Stack>
          <Stack>{may('GET', '/metrics/capacities/{region}') && <CapacityPanel />}</Stack>
        </SimpleGrid>
      </Stack>
    </Page>
  );
}
