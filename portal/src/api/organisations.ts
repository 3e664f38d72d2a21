// The user's organisation, its children, and the organisation the page acts for.
import { useQuery } from '@tanstack/react-query';
import { ownApi, unwrap } from './client.ts';
import { childrenQuery, meQuery, useCan } from './queries.ts';
import { useActingFor } from './scope.ts';

const own = { api: ownApi, scope: 'own' };

export function useOrganisations() {
  const can = useCan();
  const actingFor = useActingFor();
  const me = useQuery(meQuery(own)).data;
  const organisation = useQuery({
    queryKey: ['me', 'organisation', me?.organisationId],
    queryFn: () =>
      unwrap(
        own.api.GET('/organisations/{organisationId}', { params: { path: { organisationId: me!.organisationId } } }),
      ),
    enabled: me !== undefined && can('GET', '/organisations/{organisationId}'),
    staleTime: 60_000,
  }).data;
  const children =
    useQuery({ ...childrenQuery(own), enabled: organisation?.reseller === true && can('GET', '/organisations') })
      .data ?? [];
  const acting =
    actingFor && actingFor !== organisation?.id
      ? (children.find(({ id }) => id === actingFor) ?? { id: actingFor, name: 'another organisation' })
      : undefined;
  return { me, own: organisation, children, acting, id: actingFor ?? me?.organisationId };
}
