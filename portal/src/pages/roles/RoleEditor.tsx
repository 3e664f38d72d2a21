// Edits the policies of a role by checkboxes or as JSON.
import { Button, Group, JsonInput, Modal, Stack, Tabs, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { unwrap, unwrapVersioned, type Versioned } from '../../api/client.ts';
import { useApi } from '../../api/scope.ts';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { QueryResult } from '../../components/QueryResult.tsx';
import { useApiMutation } from '../../components/useApiMutation.ts';
import { PermissionMatrix } from './PermissionMatrix.tsx';
import { type Policy, useOperations } from './policies.ts';

type Opened = Versioned<{ role: string; policies: Policy[] }>;

interface Props {
  /** The role to edit; undefined creates a new one. */
  role: string | undefined;
  isOpen: boolean;
  onClose: () => void;
  onDone: (role: string) => void;
}

export function RoleEditor({ role, isOpen, onClose, onDone }: Props) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={role ? `Change ${role}` : 'New role'} size="xl">
      {role ? <LoadedRole role={role} onDone={onDone} /> : <RoleForm opened={undefined} onDone={onDone} />}
    </Modal>
  );
}

function LoadedRole({ role, onDone }: { role: string; onDone: Props['onDone'] }) {
  const { api, scope } = useApi();
  const opened = useQuery({
    queryKey: [scope, 'roles', role, 'opened'],
    queryFn: () => unwrapVersioned(api.GET('/acl/roles/{roleName}', { params: { path: { roleName: role } } })),
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  return <QueryResult query={opened}>{(versioned) => <RoleForm opened={versioned} onDone={onDone} />}</QueryResult>;
}

const textOf = (policies: Policy[]): string => JSON.stringify(policies, null, 2);

function parsePolicies(text: string): Policy[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isList =
      Array.isArray(value) &&
      value.every((policy) => ['act', 'eft', 'obj', 'res'].every((key) => typeof policy?.[key] === 'string'));
    return isList ? value : undefined;
  } catch {
    return undefined;
  }
}

function RoleForm({ opened, onDone }: { opened: Opened | undefined; onDone: Props['onDone'] }) {
  const { api } = useApi();
  const [name, setName] = useState('');
  const [text, setText] = useState(textOf(opened?.value.policies ?? []));
  const policies = parsePolicies(text);
  const save = useApiMutation(
    (list: Policy[]) =>
      opened
        ? unwrap(
            api.PUT('/acl/roles/{roleName}', {
              params: { path: { roleName: opened.value.role }, header: { 'If-Match': opened.etag } },
              body: { policies: list },
            }),
          )
        : unwrap(api.POST('/acl/roles', { body: { role: name, policies: list } })),
    {
      hasInlineError: true,
      successMessage: ({ role }) => `Role ${role} saved`,
      onSuccess: ({ role }) => onDone(role),
    },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (policies) save.mutate(policies);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {save.error && <ErrorAlert error={save.error} title="The role was not saved" />}
        {!opened && (
          <TextInput
            label="Name"
            description="Lower-case letters, digits, - and _. It cannot be changed later."
            required
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
        )}
        <PolicyEditor text={text} onChange={setText} policies={policies} />
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending} disabled={!policies}>
            Save role
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function PolicyEditor(props: { text: string; onChange: (text: string) => void; policies: Policy[] | undefined }) {
  const { text, onChange, policies } = props;
  const operations = useOperations();
  return (
    <Tabs defaultValue="matrix" keepMounted={false}>
      <Tabs.List>
        <Tabs.Tab value="matrix">Permissions</Tabs.Tab>
        <Tabs.Tab value="text">Policies (JSON)</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="matrix" pt="sm">
        <Text size="sm" c="dimmed" mb="xs">
          Every role also includes the user's profile and tokens, and regions and cities. You can grant only permissions
          that you have.
        </Text>
        {policies ? (
          <QueryResult query={operations}>
            {(list) => (
              <PermissionMatrix
                operations={list}
                policies={policies}
                onChange={(changed) => onChange(textOf(changed))}
              />
            )}
          </QueryResult>
        ) : (
          <Text c="var(--tone-bad)">The policies are not valid JSON. Correct them under “Policies (JSON)”.</Text>
        )}
      </Tabs.Panel>
      <Tabs.Panel value="text" pt="sm">
        <JsonInput
          label="Policies"
          description="act: an HTTP method or *; obj: a route template, may end with *; res: resource:read|write|deploy:own|organisation|*; eft: allow or deny (deny wins)."
          autosize
          minRows={8}
          maxRows={20}
          classNames={{ input: 'mono' }}
          value={text}
          onChange={onChange}
          error={policies ? undefined : 'Not a list of policies, each with act, eft, obj and res'}
        />
      </Tabs.Panel>
    </Tabs>
  );
}
