// A list of the server as a table: sorted, filtered and paged there, and read as one scrolls, so that ten thousand rows are no more work than fifty.
import { ActionIcon, Box, Group, Loader, Menu, Paper, Text, Tooltip, UnstyledButton } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconArrowDown, IconArrowUp, IconColumns3, IconDownload } from '@tabler/icons-react';
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import {
  type ColumnDef,
  columnVisibilityFeature,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useMemo, useRef } from 'react';
import type { ListPage } from '../api/client.ts';
import { type Cell, download, toCsv } from './csv.ts';
import { ErrorAlert } from './ErrorAlert.tsx';
import { plural } from './format.ts';
import classes from './ServerTable.module.css';
import { useApiMutation } from './useApiMutation.ts';

export interface Column<T> {
  id: string;
  title: string;
  /** The server's word for sorting by it. */
  sort?: string;
  cell: (row: T) => ReactNode;
  csv: (row: T) => Cell;
  /** Shown only to who asks for it. */
  isExtra?: boolean;
  isNumber?: boolean;
}

export interface PageQuery {
  page: number;
  limit: number;
  sort?: string;
}

interface Props<T> {
  /** Of the table: for its label, the file, and the choice of columns. */
  name: string;
  columns: Column<T>[];
  /** Everything that decides what is listed, but the order and the page. */
  queryKey: unknown[];
  fetchPage: (asked: PageQuery) => Promise<ListPage<T>>;
  sort: string | undefined;
  onSort: (sort: string | undefined) => void;
  one: string;
  many?: string;
  /** Instead of a table without rows. */
  empty: ReactNode;
  filters?: ReactNode;
  /** Of a list whose rows change by themselves. */
  refreshMs?: number;
}

const pageLength = 100;
const rowHeight = 42;
const features = tableFeatures({ columnVisibilityFeature, rowSortingFeature });

interface Row<T> {
  index: number;
  record: T | undefined;
}

/** `name,DESC`, as the server spells it. */
const parseSort = (sort: string | undefined) => {
  const [id = '', way] = sort?.split(',') ?? [];
  return { id, isDown: way === 'DESC' };
};

function nextSort(current: string | undefined, column: string): string | undefined {
  const { id, isDown } = parseSort(current);
  if (id !== column) return column;
  return isDown ? undefined : `${column},DESC`;
}

export function ServerTable<T extends { id: string }>(props: Props<T>) {
  const { name, columns, queryKey, fetchPage, sort, onSort, refreshMs } = props;
  const [hidden, setHidden] = useLocalStorage<Record<string, boolean>>({
    key: `patchbay columns ${name}`,
    defaultValue: Object.fromEntries(columns.filter(({ isExtra }) => isExtra).map(({ id }) => [id, false])),
    getInitialValueInEffect: false,
  });
  const pageOf = (page: number) => ({
    queryKey: [...queryKey, sort ?? '', page],
    queryFn: () => fetchPage({ page, limit: pageLength, ...(sort ? { sort } : {}) }),
    refetchInterval: refreshMs ?? (false as const),
  });
  const first = useQuery({ ...pageOf(1), placeholderData: keepPreviousData });
  const total = first.data?.total ?? 0;
  const region = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: total,
    getScrollElement: () => region.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  });
  const seen = rows.getVirtualItems();
  const pages = [...new Set(seen.map(({ index }) => Math.floor(index / pageLength) + 1))].filter((page) => page > 1);
  const others = useQueries({ queries: pages.map(pageOf) });
  const failed = [first, ...others].find(({ error }) => error);
  const recordAt = (index: number): T | undefined => {
    const page = Math.floor(index / pageLength) + 1;
    const listing = page === 1 ? first.data : others[pages.indexOf(page)]?.data;
    return listing?.items[index % pageLength];
  };
  const definitions = useMemo(
    () =>
      columns.map(
        ({ id, title, cell }): ColumnDef<typeof features, Row<T>> => ({
          id,
          header: title,
          cell: ({ row }) => (row.original.record ? cell(row.original.record) : '…'),
        }),
      ),
    [columns],
  );
  const table = useTable({
    features,
    columns: definitions,
    data: seen.map(({ index }): Row<T> => ({ index, record: recordAt(index) })),
    manualSorting: true,
    state: { columnVisibility: hidden },
    onColumnVisibilityChange: (change) =>
      setHidden((before) => (typeof change === 'function' ? change(before) : change)),
  });
  const byId = new Map(columns.map((column) => [column.id, column]));
  const save = useApiMutation(
    async () => {
      const every: T[] = [];
      for (let page = 1; page === 1 || every.length < total; page++) {
        const { items } = await fetchPage({ page, limit: pageLength, ...(sort ? { sort } : {}) });
        if (items.length === 0) break;
        every.push(...items);
      }
      const shown = table.getVisibleLeafColumns().map(({ id }) => byId.get(id)!);
      download(
        `${name}.csv`,
        toCsv([shown.map(({ title }) => title), ...every.map((record) => shown.map(({ csv }) => csv(record)))]),
      );
      return every.length;
    },
    { done: (count) => `${plural(count, props.one, props.many)} saved as CSV` },
  );

  const visible = table.getVisibleLeafColumns();
  const before = seen[0]?.start ?? 0;
  const after = rows.getTotalSize() - (seen.at(-1)?.end ?? 0);
  return (
    <Paper p={0} className={classes.frame}>
      <Group justify="space-between" p="sm" gap="sm" align="flex-end">
        <Group gap="sm" align="flex-end" flex="1 1 auto" className={classes.filters!}>
          {props.filters}
        </Group>
        <Group gap={4}>
          <Text size="sm" c="dimmed" role="status">
            {first.isPending ? 'Loading …' : plural(total, props.one, props.many)}
          </Text>
          {first.isFetching && <Loader size="xs" aria-label="Reading again" />}
          <ColumnChoice
            columns={columns}
            isShown={(id) => table.getColumn(id)?.getIsVisible() ?? true}
            onToggle={(id) => table.getColumn(id)?.toggleVisibility()}
          />
          <Tooltip label="Save all of this list as CSV">
            <ActionIcon
              variant="subtle"
              aria-label="Save as CSV"
              onClick={() => save.mutate(undefined)}
              loading={save.isPending}
              disabled={total === 0}
            >
              <IconDownload size={18} aria-hidden />
            </ActionIcon>
          </Tooltip>
        </Group>
      </Group>
      {failed?.error && (
        <Box p="sm">
          <ErrorAlert error={failed.error} onRetry={() => void failed.refetch()} />
        </Box>
      )}
      {first.data && total === 0 && <Box p="sm">{props.empty}</Box>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section ref={region} className={classes.region} aria-label={name} tabIndex={0} hidden={total === 0}>
        <table className={classes.table} aria-rowcount={total + 1}>
          <thead>
            <tr aria-rowindex={1}>
              {visible.map(({ id }) => (
                <Heading key={id} column={byId.get(id)!} sort={sort} onSort={onSort} />
              ))}
            </tr>
          </thead>
          <tbody>
            {before > 0 && <tr aria-hidden style={{ height: before }} />}
            {table.getRowModel().rows.map((row) => (
              <tr key={row.original.index} aria-rowindex={row.original.index + 2} style={{ height: rowHeight }}>
                {row.getVisibleCells().map((cell) => (
                  <td key={cell.id} data-number={byId.get(cell.column.id)?.isNumber || undefined}>
                    <table.FlexRender cell={cell} />
                  </td>
                ))}
              </tr>
            ))}
            {after > 0 && <tr aria-hidden style={{ height: after }} />}
          </tbody>
        </table>
      </section>
    </Paper>
  );
}

function Heading<T>({
  column,
  sort,
  onSort,
}: {
  column: Column<T>;
  sort: string | undefined;
  onSort: Props<T & { id: string }>['onSort'];
}) {
  const { id, isDown } = parseSort(sort);
  const isSorted = column.sort !== undefined && id === column.sort;
  if (!column.sort)
    return (
      <th scope="col" data-number={column.isNumber || undefined}>
        {column.title}
      </th>
    );
  return (
    <th
      scope="col"
      data-number={column.isNumber || undefined}
      aria-sort={isSorted ? (isDown ? 'descending' : 'ascending') : 'none'}
    >
      <UnstyledButton className={classes.sort} onClick={() => onSort(nextSort(sort, column.sort!))}>
        {column.title}
        {isSorted && (isDown ? <IconArrowDown size={14} aria-hidden /> : <IconArrowUp size={14} aria-hidden />)}
      </UnstyledButton>
    </th>
  );
}

function ColumnChoice<T>({
  columns,
  isShown,
  onToggle,
}: {
  columns: Column<T>[];
  isShown: (id: string) => boolean;
  onToggle: (id: string) => void;
}) {
  return (
    <Menu closeOnItemClick={false} position="bottom-end">
      <Menu.Target>
        <Tooltip label="Choose columns">
          <ActionIcon variant="subtle" aria-label="Choose columns">
            <IconColumns3 size={18} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        {columns.slice(1).map(({ id, title }) => (
          <Menu.CheckboxItem key={id} checked={isShown(id)} onChange={() => onToggle(id)}>
            {title}
          </Menu.CheckboxItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
