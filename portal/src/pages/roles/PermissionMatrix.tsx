import { Checkbox, Paper, Table, Text } from '@mantine/core';
import { IconCheck, IconCircleHalf2 } from '@tabler/icons-react';
import {
  type Action,
  actions,
  checkboxPolicy,
  isSamePolicy,
  type Level,
  levelOf,
  type Operation,
  type Policy,
} from './policies.ts';

interface Props {
  operations: Operation[];
  policies: Policy[];
  /** Undefined: read-only. */
  onChange?: (policies: Policy[]) => void;
}

const capitalise = (resource: string): string => `${resource.charAt(0).toUpperCase()}${resource.slice(1)}`;

/** Resources by action, with checkboxes if editable. */
export function PermissionMatrix({ operations, policies, onChange }: Props) {
  const resources = [...new Set(operations.map(({ resource }) => resource))];
  return (
    <Paper p={0}>
      <Table aria-label="Permissions of the role">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Resource</Table.Th>
            {actions.map((action) => (
              <Table.Th key={action}>{capitalise(action)}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {resources.map((resource) => (
            <Table.Tr key={resource}>
              <Table.Th scope="row" fw={550}>
                {capitalise(resource)}
              </Table.Th>
              {actions.map((action) => {
                const matching = operations.filter(
                  (operation) => operation.resource === resource && operation.action === action,
                );
                if (matching.length === 0) return <Table.Td key={action} />;
                return (
                  <Table.Td key={action}>
                    {onChange ? (
                      <PermissionCheckbox
                        resource={resource}
                        action={action}
                        operations={matching}
                        policies={policies}
                        onChange={onChange}
                      />
                    ) : (
                      <LevelLabel level={levelOf(policies, matching)} />
                    )}
                  </Table.Td>
                );
              })}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

function LevelLabel({ level }: { level: Level }) {
  if (level === 'none')
    return (
      <Text c="dimmed" size="sm">
        no
      </Text>
    );
  const Icon = level === 'all' ? IconCheck : IconCircleHalf2;
  return (
    <Text span size="sm" c={level === 'all' ? 'var(--tone-good)' : 'var(--tone-poor)'} fw={550}>
      <Icon size={16} aria-hidden style={{ verticalAlign: '-3px' }} /> {level === 'all' ? 'yes' : 'partial'}
    </Text>
  );
}

function PermissionCheckbox(props: Required<Props> & { resource: string; action: Action }) {
  const { resource, action, operations, policies, onChange } = props;
  const ownPolicy = checkboxPolicy(resource, action);
  const others = policies.filter((policy) => !isSamePolicy(policy, ownPolicy));
  const isChecked = others.length < policies.length;
  const level = levelOf(policies, operations);
  // A checkbox cannot revoke a broader policy; the JSON editor can.
  const isGrantedByBroaderPolicy = !isChecked && level === 'all';
  return (
    <Checkbox
      aria-label={`${capitalise(resource)}: ${action}`}
      checked={level === 'all'}
      indeterminate={level === 'some'}
      disabled={isGrantedByBroaderPolicy}
      label={isGrantedByBroaderPolicy ? 'by a broader policy' : level === 'some' ? 'partial' : undefined}
      onChange={() => onChange(isChecked ? others : [...policies, ownPolicy])}
    />
  );
}
