// What each role may do.
import { Button, Grid, Paper, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useCan } from '../../api/queries.ts';
import { Page } from '../../components/Page.tsx';
import { QueryResult } from '../../components/QueryResult.tsx';
import { RouterNavLink } from '../../components/router-links.tsx';
import { useSearchParams } from '../../components/useSearchParams.ts';
import { useRoles } from '../users/RoleSelect.tsx';
import { isBuiltInRole } from './policies.ts';
import { RoleEditor } from './RoleEditor.tsx';
import { RolePanel } from './RolePanel.tsx';

export default function RolesPage() {
  const can = useCan();
  const roles = useRoles();
  const [search, change] = useSearchParams();
  const [edited, setEdited] = useState<{ role: string | undefined }>();
  return (
    <Page
      title="Roles"
      about="What users may see and do. Four roles come with the service; an organisation can add its own."
      actions={can('POST', '/acl/roles') && <Button onClick={() => setEdited({ role: undefined })}>New role</Button>}
    >
      <QueryResult query={roles}>
        {(list) => {
          const shown = list.find(({ role }) => role === search.role) ?? list[0];
          return (
            <Grid>
              <Grid.Col span={{ base: 12, md: 3 }}>
                <Paper p="xs" component="nav" aria-label="Roles">
                  <Stack gap={2}>
                    {list.map(({ role }) => (
                      <RouterNavLink
                        key={role}
                        to="/roles"
                        search={{ role } as never}
                        label={role}
                        description={isBuiltInRole(role) ? 'comes with the service' : 'of your organisation'}
                        active={role === shown?.role}
                        aria-current={role === shown?.role ? 'page' : undefined}
                      />
                    ))}
                  </Stack>
                </Paper>
                {list.every(({ role }) => isBuiltInRole(role)) && (
                  <Text size="sm" c="dimmed" mt="xs">
                    Your organisation has no role of its own yet.
                    {can('POST', '/acl/roles') && ' Make one where none of these fits: “New role”.'}
                  </Text>
                )}
              </Grid.Col>
              <Grid.Col span={{ base: 12, md: 9 }}>
                {shown && (
                  <RolePanel
                    key={shown.role}
                    role={shown}
                    onEdit={() => setEdited({ role: shown.role })}
                    onDeleted={() => change({ role: undefined })}
                  />
                )}
              </Grid.Col>
            </Grid>
          );
        }}
      </QueryResult>
      <RoleEditor
        role={edited?.role}
        isOpen={edited !== undefined}
        onClose={() => setEdited(undefined)}
        onDone={(role) => {
          setEdited(undefined);
          change({ role });
        }}
      />
    </Page>
  );
}
