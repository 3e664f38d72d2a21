// What was bought, who got how much of it, and how much of that is used.
import { Tabs } from '@mantine/core';
import { useOrganisations } from '../../api/organisations.ts';
import { useCan } from '../../api/queries.ts';
import { Page } from '../../components/Page.tsx';
import { useSearchParams } from '../../components/useSearchParams.ts';
import { ChildrenTab } from './ChildrenTab.tsx';
import { ProductsTab } from './ProductsTab.tsx';
import { ReportTab } from './ReportTab.tsx';
import { SubscriptionsTab } from './SubscriptionsTab.tsx';

export default function CapacityPage() {
  const can = useCan();
  const { own, acting, children } = useOrganisations();
  const [search, change] = useSearchParams();
  // Nobody acting for another decides what that one has: only the parent, as itself.
  const isParent =
    own?.reseller === true &&
    !acting &&
    children.length > 0 &&
    can('PUT', '/organisations/{organisationId}/capacities/{capacityId}');
  const tabs = [
    { id: 'subscriptions', title: 'Subscriptions', shown: true, content: <SubscriptionsTab /> },
    {
      id: 'products',
      title: 'Products',
      shown: can('GET', '/organisations/{organisationId}/products'),
      content: <ProductsTab />,
    },
    { id: 'report', title: 'Report', shown: can('GET', '/metrics/capacities/{region}'), content: <ReportTab /> },
    { id: 'children', title: 'Children', shown: isParent, content: <ChildrenTab /> },
  ].filter(({ shown }) => shown);
  const open = tabs.find(({ id }) => id === search.tab) ?? tabs[0]!;
  return (
    <Page title="Capacity" about="What is subscribed, who may use how much of it, and how much is used.">
      <Tabs value={open.id} onChange={(tab) => change({ tab: tab ?? undefined })} keepMounted={false}>
        <Tabs.List>
          {tabs.map(({ id, title }) => (
            <Tabs.Tab key={id} value={id}>
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={open.id} pt="md">
          {open.content}
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
