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

/** A role with its permission matrix, allowed operations and policies. */
export function RolePanel(props: { role: Schemas['Role']; onEdit: () => void; onDeleted: () => void }) {
  const { role, onEdit, onDeleted } = props;
  const can = useCan();
  const operations = useOperations();
  const isCustom = !isBuiltInRole(role.role);
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={2}>{role.role}</Title>
        {isCustom ? (
          <Group gap="xs">
            {can('PUT', '/acl/roles/{roleName}') && (
              <Button variant="default" onClick={onEdit}>
                Change
              </Button>
            )}
            {can('DELETE', '/acl/roles/{roleName}') && <DeleteRoleButton name={role.role} onDeleted={onDeleted} />}
          </Group>
        ) : (
          <Text c="dimmed">Built in; cannot be changed</Text>
        )}
      </Group>
      <QueryResult query={operations} lines={10}>
        {(list) => {
          const allowed = list.filter((operation) => allows(role.policies, operation));
          return (
            <>
              <PermissionMatrix operations={list} policies={role.policies} />
              <Text size="sm" c="dimmed">
                Every role also includes the user's profile and tokens, and regions and cities.
              </Text>
              <Accordion variant="separated" order={3}>
                <Accordion.Item value="operations">
                  <Accordion.Control>{plural(allowed.length, 'operation')}</Accordion.Control>
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
                  <Accordion.Control>{plural(role.policies.length, 'policy', 'policies')}</Accordion.Control>
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
  const [isConfirming, setConfirming] = useState(false);
  const remove = useApiMutation(
    () => unwrap(api.DELETE('/acl/roles/{roleName}', { params: { path: { roleName: name } } })),
    {
      hasInlineError: true,
      successMessage: `Role ${name} deleted`,
      onSuccess: onDeleted,
    },
  );
  return (
    <>
      <Button color="red" variant="outline" onClick={() => setConfirming(true)}>
        Delete
      </Button>
      <ConfirmDialog
        isOpen={isConfirming}
        onClose={() => {
          remove.reset();
          setConfirming(false);
        }}
        onConfirm={() => remove.mutate(undefined)}
        isWorking={remove.isPending}
        error={remove.error}
        title={`Delete role ${name}?`}
        verb="Delete role"
      >
        A role that is assigned to users cannot be deleted. Assign them another role first.
      </ConfirmDialog>
    </>
  );
}
