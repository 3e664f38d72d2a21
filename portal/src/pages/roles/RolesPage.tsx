import { Button, Grid, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { rolesQuery, useCan } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { Page } from '../../components/Page.tsx';
import { QueryResult } from '../../components/QueryResult.tsx';
import { RouterNavLink } from '../../components/router-links.tsx';
import { useSearchParams } from '../../components/useSearchParams.ts';
import { isBuiltInRole } from './policies.ts';
import { RoleEditor } from './RoleEditor.tsx';
import { RolePanel } from './RolePanel.tsx';

export default function RolesPage() {
  const can = useCan();
  const roles = useQuery(rolesQuery(useApi()));
  const [search, change] = useSearchParams();
  const [edited, setEdited] = useState<{ role: string | undefined }>();
  return (
    <Page
      title="Roles"
      about="Permissions of users. Four roles are built in; an organisation can add its own."
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
                        description={isBuiltInRole(role) ? 'built in' : 'of your organisation'}
                        active={role === shown?.role}
                        aria-current={role === shown?.role ? 'page' : undefined}
                      />
                    ))}
                  </Stack>
                </Paper>
                {list.every(({ role }) => isBuiltInRole(role)) && (
                  <Text size="sm" c="dimmed" mt="xs">
                    Your organisation has no custom roles yet.
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
