import { Paper, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { familyTitle } from '../../api/brand-names.ts';
import { fetchAllPages } from '../../api/client.ts';
import { useOrganisations } from '../../api/organisations.ts';
import { useApi } from '../../api/scope.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { useRegionNames } from '../../components/place-names.tsx';
import { QueryResult } from '../../components/QueryResult.tsx';
import { UsageBar } from './UsageBar.tsx';

export function useProductPools(organisationId: string | undefined) {
  const { api, scope } = useApi();
  return useQuery({
    queryKey: [scope, 'products', organisationId],
    queryFn: async () => {
      const path = { organisationId: organisationId! };
      const pools = await fetchAllPages((query) =>
        api.GET('/organisations/{organisationId}/products', { params: { path, query } }),
      );
      return pools.items;
    },
    enabled: organisationId !== undefined,
  });
}

/** The number of connectors allowed by provider family and region. */
export function ProductsTab() {
  const { id } = useOrganisations();
  const { regionName } = useRegionNames();
  const pools = useProductPools(id);
  return (
    <QueryResult query={pools}>
      {(list) =>
        list.length === 0 ? (
          <EmptyState title="No products yet">
            A product allows a number of connectors to one provider in one region. Your provider adds products.
          </EmptyState>
        ) : (
          <Paper p={0}>
            <Table.ScrollContainer
              minWidth={520}
              scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'region', 'aria-label': 'Products' } }}
            >
              <Table>
                <Table.Thead>
                  <Table.Tr>
                    {['Family', 'Region', 'Used', 'Share'].map((title) => (
                      <Table.Th key={title}>{title}</Table.Th>
                    ))}
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {list.map(({ family, serviceRegion, used, total }) => (
                    <Table.Tr key={`${family} ${serviceRegion}`}>
                      <Table.Td fw={550}>{familyTitle(family)}</Table.Td>
                      <Table.Td>{regionName(serviceRegion)}</Table.Td>
                      <Table.Td>
                        {used} of {total}
                        {used >= total && (
                          <Text span size="sm" c="var(--tone-poor)">
                            {' '}
                            none left
                          </Text>
                        )}
                      </Table.Td>
                      <Table.Td w="40%">
                        <UsageBar
                          part={used}
                          whole={total}
                          label={`${familyTitle(family)} in ${regionName(serviceRegion)}`}
                          text={`${used} of ${total} used`}
                        />
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </Table.ScrollContainer>
          </Paper>
        )
      }
    </QueryResult>
  );
}
