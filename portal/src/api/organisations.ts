// The organisation one belongs to, its children, and the one whose records are shown.
import { useQuery } from '@tanstack/react-query';
import { apiFor, unwrap } from './client.ts';
import { childrenQuery, meQuery, useCan } from './queries.ts';
import { useActingFor } from './scope.ts';

// Whoever one acts for, these are asked as oneself.
const own = { api: apiFor(undefined), scope: 'own' };

export function useOrganisations() {
  const may = useCan();
  const actingFor = useActingFor();
  const me = useQuery(meQuery(own)).data;
  const mine = useQuery({
    queryKey: ['me', 'organisation', me?.organisationId],
    queryFn: () =>
      unwrap(
        own.api.GET('/organisations/{organisationId}', { params: { path: { organisationId: me!.organisationId } } }),
      ),
    enabled: me !== undefined && may('GET', '/organisations/{organisationId}'),
    staleTime: 60_000,
  }).data;
  const children =
    useQuery({ ...childrenQuery(own), enabled: mine?.reseller === true && may('GET', '/organisations') }).data ?? [];
  const acting =
    actingFor && actingFor !== mine?.id
      ? (children.find(({ id }) => id === actingFor) ?? { id: actingFor, name: 'another organisation' })
      : undefined;
  return { me, own: mine, children, acting, id: actingFor ?? me?.organisationId };
}
