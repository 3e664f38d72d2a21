import { Accordion, Button, Group, Stack, Text, Title } from '@mantine/core';
import type { Schemas } from '@patchbay/client';
import { useState } from 'react';
import { unwrap } from '../../api/client.ts';
import { useCan } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { plural } from '../../components/format.ts';
import { QueryResult } from '../../components/QueryResult.tsx';
import { useApiMutation } from '../../components/useApiMutation.ts';
import { PermissionMatrix } from './PermissionMatrix.tsx';
import { allows, isBuiltInRole, useOperations } from './policies.ts';

/** One role: its matrix, the operations behind it, and the policies as they are kept. */
export function RolePanel(props: { role: Schemas['Role']; onEdit: () => void; onDeleted: () => void }) {
  const { role, onEdit, onDeleted } = props;
  const can = useCan();
  const operations = useOperations();
  const isOwn = !isBuiltInRole(role.role);
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={2}>{role.role}</Title>
        {isOwn ? (
          <Group gap="xs">
            {can('PUT', '/acl/roles/{roleName}') && (
              <Button variant="default" onClick={onEdit}>
                Change
              </Button>
            )}
            {can('DELETE', '/acl/roles/{roleName}') && <DeleteRoleButton name={role.role} onDeleted={onDeleted} />}
          </Group>
        ) : (
          <Text c="dimmed">Comes with the service and cannot be changed</Text>
        )}
      </Group>
      <QueryResult query={operations} lines={10}>
        {(list) => {
          const allowed = list.filter((operation) => allows(role.policies, operation));
          return (
            <>
              <PermissionMatrix operations={list} policies={role.policies} />
              <Text size="sm" c="dimmed">
                Every role also has its own profile, its own tokens and the places.
              </Text>
              <Accordion variant="separated" order={3}>
                <Accordion.Item value="operations">
                  <Accordion.Control>{plural(allowed.length, 'operation')} of the API</Accordion.Control>
                  <Accordion.Panel>
                    <ul style={{ margin: 0, paddingInlineStart: '1.2rem' }}>
                      {allowed.map(({ method, path, summary }) => (
                        <li key={`${method} ${path}`}>
                          {summary}{' '}
                          <span className="mono">
                            {method} {path}
                          </span>
                        </li>
                      ))}
                    </ul>
                  </Accordion.Panel>
                </Accordion.Item>
                <Accordion.Item value="policies">
                  <Accordion.Control>{plural(role.policies.length, 'policy', 'policies')} as kept</Accordion.Control>
                  <Accordion.Panel>
                    <Text component="pre" className="mono" m={0} style={{ whiteSpace: 'pre-wrap' }}>
                      {role.policies.map((policy) => JSON.stringify(policy)).join('\n')}
                    </Text>
                  </Accordion.Panel>
                </Accordion.Item>
              </Accordion>
            </>
          );
        }}
      </QueryResult>
    </Stack>
  );
}

function DeleteRoleButton({ name, onDeleted }: { name: string; onDeleted: () => void }) {
  const { api } = useApi();
  const [asks, setAsks] = useState(false);
  const remove = useApiMutation(
    () => unwrap(api.DELETE('/acl/roles/{roleName}', { params: { path: { roleName: name } } })),
    {
      hasInlineError: true,
      successMessage: `The role ${name} is deleted`,
      onSuccess: onDeleted,
    },
  );
  return (
    <>
      <Button color="red" variant="outline" onClick={() => setAsks(true)}>
        Delete
      </Button>
      <ConfirmDialog
        isOpen={asks}
        onClose={() => {
          remove.reset();
          setAsks(false);
        }}
        onConfirm={() => remove.mutate(undefined)}
        isWorking={remove.isPending}
        error={remove.error}
        title={`Delete the role ${name}?`}
        verb="Delete the role"
      >
        Its policies are lost. A role that users still have cannot be deleted: give them another one first.
      </ConfirmDialog>
    </>
  );
}
