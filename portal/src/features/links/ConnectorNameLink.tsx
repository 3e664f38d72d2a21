import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../../api/client.ts';
import { useApi } from '../../api/scope.ts';
import { RouterLink } from '../../components/router-links.tsx';

/** A link to a connector, which loads its name. */
export function ConnectorNameLink({ id }: { id: string }) {
  const { api, scope } = useApi();
  const { data } = useQuery({
    queryKey: [scope, 'connectors', id, 'name'],
    queryFn: async () => (await unwrap(api.GET('/connectors/{connid}', { params: { path: { connid: id } } }))).name,
    staleTime: 60_000,
  });
  return (
    <RouterLink to="/connectors/$connectorId" params={{ connectorId: id }}>
      {data ?? '…'}
    </RouterLink>
  );
}
