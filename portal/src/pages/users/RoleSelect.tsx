import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../../api/client.ts';
import { useApi } from '../../api/scope.ts';

export function useRoles() {
  const { api, scope } = useApi();
  return useQuery({
    queryKey: [scope, 'roles'],
    queryFn: () => unwrap(api.GET('/acl/roles')),
  });
}

export function RoleSelect({ role, onChange }: { role: string; onChange: (role: string) => void }) {
  const roles = useRoles().data?.map((one) => one.role) ?? [];
  return (
    <Select
      label="Role"
      description="What the user may see and do; the page Roles says it exactly. You can give what you hold yourself."
      data={[...new Set([...roles, role])]}
      allowDeselect={false}
      value={role}
      onChange={(value) => value && onChange(value)}
    />
  );
}
