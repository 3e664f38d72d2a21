import { SimpleGrid, Stack } from '@mantine/core';
import { useOrganisations } from '../../api/organisations.ts';
import { useMay } from '../../api/queries.ts';
import { Page } from '../../components/Page.tsx';
import { CapacityPanel } from './CapacityPanel.tsx';
import { Health } from './HealthFigures.tsx';
import { Attention } from './NeedsAttention.tsx';
import { RecentAudit } from './RecentActivity.tsx';

/** How the network is, and what happened lately: each part for those who may see it. */
export default function Overview() {
  const may = useMay();
  const { acting, own } = useOrganisations();
  const seesNetwork = may('GET', '/connectors');
  return (
    <Page title="Overview" about={acting?.name ?? own?.name}>
      <Stack>
        {seesNetwork && <Health />}
        <SimpleGrid cols={{ base: 1, lg: 2 }}>
          <Stack>
            {seesNetwork && <Attention />}
            {may('GET', '/audit') && <RecentAudit />}
          </Stack>
          <Stack>{may('GET', '/metrics/capacities/{region}') && <CapacityPanel />}</Stack>
        </SimpleGrid>
      </Stack>
    </Page>
  );
}
