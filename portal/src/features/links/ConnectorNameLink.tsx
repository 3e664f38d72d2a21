import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api/client.ts';
import { useApi } from '../../api/scope.ts';
import { RecordLink } from '../../components/router-links.tsx';

/** A connector by its name, which is asked once. */
export function ConnectorName({ id }: { id: string }) {
  const { api, scope } = useApi();
  const { data } = useQuery({
    queryKey: [scope, 'connectors', id, 'name'],
    queryFn: async () => (await ask(api.GET('/connectors/{connid}', { params: { path: { connid: id } } }))).name,
    staleTime: 60_000,
  });
  return (
    <RecordLink to="/connectors/$connectorId" params={{ connectorId: id }}>
      {data ?? '…'}
    </RecordLink>
  );
}
