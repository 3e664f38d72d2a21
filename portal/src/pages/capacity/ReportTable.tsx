import { Paper, Table } from '@mantine/core';
import { IconAffiliate, IconBuilding } from '@tabler/icons-react';
import { formatBits, formatShare } from '../../components/format.ts';
import type { ReportRow } from './report-rows.ts';

export function ReportTable({ rows }: { rows: ReportRow[] }) {
  return (
    <Paper p={0}>
      <Table.ScrollContainer
        minWidth={620}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'region', 'aria-label': 'Capacity report' } }}
      >
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Organisation or group</Table.Th>
              <Table.Th>Kind</Table.Th>
              {['Used', 'Allocated', 'Subscribed', 'Used of allocated'].map((title) => (
                <Table.Th key={title} ta="end">
                  {title}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map(({ id, kind, name, depth, used, allocated, subscribed }) => {
              const Icon = kind === 'Group' ? IconAffiliate : IconBuilding;
              return (
                <Table.Tr key={id}>
                  <Table.Th
                    scope="row"
                    fw={kind === 'Group' ? 400 : 600}
                    style={{ paddingInlineStart: `${0.75 + depth * 1.4}rem` }}
                  >
                    <Icon size={16} aria-hidden style={{ marginInlineEnd: 6, verticalAlign: '-3px' }} />
                    {name}
                  </Table.Th>
                  <Table.Td>{kind}</Table.Td>
                  <Table.Td ta="end">{formatBits(used)}</Table.Td>
                  <Table.Td ta="end">{formatBits(allocated)}</Table.Td>
                  <Table.Td ta="end">{formatBits(subscribed)}</Table.Td>
                  <Table.Td ta="end">{formatShare(used, allocated)}</Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Paper>
  );
}
