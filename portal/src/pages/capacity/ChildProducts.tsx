import { Button, Group, NumberInput, Paper, Select, Stack, Table, Text, Title } from '@mantine/core';
import type { Schemas } from '@patchbay/client';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { familyTitle } from '../../api/brand-names.ts';
import { unwrap } from '../../api/client.ts';
import { errorMessage } from '../../api/problems.ts';
import { destinationsQuery, useCan } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { useRegionNames } from '../../components/place-names.tsx';
import { QueryResult } from '../../components/QueryResult.tsx';
import { useApiMutation } from '../../components/useApiMutation.ts';
import { useProductPools } from './ProductsTab.tsx';

type Pool = Schemas['Product'];

interface Child {
  id: string;
  name: string;
}

export function ChildProducts({ child }: { child: Child }) {
  const can = useCan();
  const pools = useProductPools(child.id);
  const canWrite = can('PUT', '/organisations/{organisationId}/products/{shortname}/{serviceRegion}');
  return (
    <Paper component="section" aria-label={`Products of ${child.name}`}>
      <Stack>
        <Title order={2}>Products of {child.name}</Title>
        <QueryResult query={pools}>
          {(list) => (
            <>
              {list.length === 0 && <Text c="dimmed">No products yet.</Text>}
              {list.length > 0 && (
                <Table>
                  <Table.Thead>
                    <Table.Tr>
                      <Table.Th>Family</Table.Th>
                      <Table.Th>Region</Table.Th>
                      <Table.Th>Used</Table.Th>
                    </Table.Tr>
                  </Table.Thead>
                  <Table.Tbody>
                    {list.map((pool) => (
                      <PoolRow
                        key={`${pool.family} ${pool.serviceRegion}`}
                        child={child}
                        pool={pool}
                        canWrite={canWrite}
                      />
                    ))}
                  </Table.Tbody>
                </Table>
              )}
              {canWrite && <AddPool child={child} pools={list} />}
            </>
          )}
        </QueryResult>
      </Stack>
    </Paper>
  );
}

function useSetTotal(child: Child, onDone: () => void) {
  const { api } = useApi();
  return useApiMutation(
    ({ family, serviceRegion, total }: Pick<Pool, 'family' | 'serviceRegion' | 'total'>) =>
      unwrap(
        api.PUT('/organisations/{organisationId}/products/{shortname}/{serviceRegion}', {
          params: { path: { organisationId: child.id, shortname: family, serviceRegion } },
          body: { total },
        }),
      ),
    { hasInlineError: true, successMessage: ({ total }) => `${child.name} can now have ${total}`, onSuccess: onDone },
  );
}

function PoolRow({ child, pool, canWrite }: { child: Child; pool: Pool; canWrite: boolean }) {
  const { regionName } = useRegionNames();
  const [isEditing, setEditing] = useState(false);
  const title = `${familyTitle(pool.family)} in ${regionName(pool.serviceRegion)}`;
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={550}>
        {familyTitle(pool.family)}
      </Table.Th>
      <Table.Td>{regionName(pool.serviceRegion)}</Table.Td>
      <Table.Td>
        {isEditing ? (
          <EditTotal child={child} pool={pool} title={title} onClose={() => setEditing(false)} />
        ) : (
          <Group gap="xs">
            <Text span size="sm">
              {pool.used} of {pool.total}
            </Text>
            {canWrite && (
              <Button size="xs" variant="default" aria-label={`Change ${title}`} onClick={() => setEditing(true)}>
                Change
              </Button>
            )}
          </Group>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

function EditTotal({ child, pool, title, onClose }: { child: Child; pool: Pool; title: string; onClose: () => void }) {
  const [total, setTotal] = useState<number | string>(pool.total);
  const save = useSetTotal(child, onClose);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate({ ...pool, total: Number(total) });
  };
  return (
    <form onSubmit={submit}>
      <Group align="flex-start" gap="xs">
        <NumberInput
          label={`Total of ${title}`}
          description={`${pool.used} in use`}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          w={260}
          min={0}
          allowDecimal={false}
          value={total}
          onChange={setTotal}
          error={save.error ? errorMessage(save.error) : undefined}
        />
        <Group gap="xs" mt={25}>
          <Button type="submit" loading={save.isPending} disabled={total === ''}>
            Save
          </Button>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
        </Group>
      </Group>
    </form>
  );
}

function AddPool({ child, pools }: { child: Child; pools: Pool[] }) {
  const destinations = useQuery(destinationsQuery(useApi())).data ?? [];
  const { regionName } = useRegionNames();
  const [family, setFamily] = useState<string | null>(null);
  const [region, setRegion] = useState<string | null>(null);
  const [total, setTotal] = useState<number | string>(1);
  const save = useSetTotal(child, () => setRegion(null));
  const families = [...new Set(destinations.map((destination) => destination.family.shortName))];
  const hasPool = (slug: string) => pools.some((pool) => pool.family === family && pool.serviceRegion === slug);
  const regions = [
    ...new Set(
      destinations.filter((destination) => destination.family.shortName === family).map(({ region: slug }) => slug),
    ),
  ].filter((slug) => !hasPool(slug));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (family && region) save.mutate({ family, serviceRegion: region, total: Number(total) });
  };
  return (
    <form onSubmit={submit} aria-label={`Add products for ${child.name}`}>
      <Stack gap="xs">
        <Title order={3}>Add a family or region</Title>
        <Group align="flex-start" gap="xs">
          <Select
            label="Family"
            w={220}
            placeholder="Select"
            data={families.map((value) => ({ value, label: familyTitle(value) }))}
            value={family}
            onChange={(value) => {
              setFamily(value);
              setRegion(null);
            }}
          />
          <Select
            label="Region"
            w={190}
            placeholder={family ? 'Select' : 'Select a family first'}
            data={regions.map((value) => ({ value, label: regionName(value) }))}
            value={region}
            onChange={setRegion}
          />
          <NumberInput
            label="Total"
            w={110}
            min={0}
            allowDecimal={false}
            value={total}
            onChange={setTotal}
            error={save.error ? errorMessage(save.error) : undefined}
          />
          <Button type="submit" mt={25} loading={save.isPending} disabled={!family || !region || total === ''}>
            Add
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
