import { useOrganisations } from '../../api/organisations.ts';
import { useCan } from '../../api/queries.ts';
import { Page } from '../../components/Page.tsx';
import { PageTabs } from '../../components/PageTabs.tsx';
import { ChildrenTab } from './ChildrenTab.tsx';
import { ProductsTab } from './ProductsTab.tsx';
import { ReportTab } from './ReportTab.tsx';
import { SubscriptionsTab } from './SubscriptionsTab.tsx';

export default function CapacityPage() {
  const can = useCan();
  const { own, acting, children } = useOrganisations();
  // Only the parent itself sets the limits of its children, not a user who acts for it.
  const isParent =
    own?.reseller === true &&
    !acting &&
    children.length > 0 &&
    can('PUT', '/organisations/{organisationId}/capacities/{capacityId}');
  return (
    <Page title="Capacity" about="Subscribed, allocated and used capacity">
      <PageTabs
        tabs={[
          { id: 'subscriptions', title: 'Subscriptions', content: () => <SubscriptionsTab /> },
          {
            id: 'products',
            title: 'Products',
            isHidden: !can('GET', '/organisations/{organisationId}/products'),
            content: () => <ProductsTab />,
          },
          {
            id: 'report',
            title: 'Report',
            isHidden: !can('GET', '/metrics/capacities/{region}'),
            content: () => <ReportTab />,
          },
          { id: 'children', title: 'Children', isHidden: !isParent, content: () => <ChildrenTab /> },
        ]}
      />
    </Page>
  );
}
