import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { rolesQuery } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';

export function RoleSelect({ role, onChange }: { role: string; onChange: (role: string) => void }) {
  const roles = useQuery(rolesQuery(useApi())).data?.map(({ role: name }) => name) ?? [];
  return (
    <Select
      label="Role"
      description="The user's permissions; see the page Roles. You can grant only permissions that you have."
      data={[...new Set([...roles, role])]}
      allowDeselect={false}
      value={role}
      onChange={(value) => value && onChange(value)}
    />
  );
}
