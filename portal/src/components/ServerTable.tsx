// A virtualised table of a server-side list: the server sorts, filters and pages; pages are loaded while scrolling.
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
  /** The server's sort key. */
  sort?: string;
  cell: (row: T) => ReactNode;
  csv: (row: T) => Cell;
  /** Hidden until the user selects it. */
  isExtra?: boolean;
  isNumber?: boolean;
}

export interface PageQuery {
  page: number;
  limit: number;
  sort?: string;
}

interface Props<T> {
  /** Label, CSV file name and storage key of the column selection. */
  name: string;
  columns: Column<T>[];
  /** Identifies the filtered list, without sort and page. */
  queryKey: unknown[];
  fetchPage: (query: PageQuery) => Promise<ListPage<T>>;
  sort?: string | undefined;
  onSort?: (sort: string | undefined) => void;
  /** For the count, for example "connector". */
  itemName: string;
  /** Shown instead of an empty table. */
  empty: ReactNode;
  filters?: ReactNode;
  /** Polling interval. */
  refreshMs?: number;
}

/** `fetchPage` for a list that is already loaded. */
export const pageFromArray =
  <T,>(items: T[]) =>
  async ({ page, limit }: PageQuery): Promise<ListPage<T>> => ({
    items: items.slice((page - 1) * limit, page * limit),
    total: items.length,
  });

const pageLength = 100;
const rowHeight = 42;
const features = tableFeatures({ columnVisibilityFeature, rowSortingFeature });

interface Row<T> {
  index: number;
  record: T | undefined;
}

/** The API's sort syntax, for example `name,DESC`. */
const parseSort = (sort: string | undefined) => {
  const [id = '', direction] = sort?.split(',') ?? [];
  return { id, isDescending: direction === 'DESC' };
};

function nextSort(current: string | undefined, column: string): string | undefined {
  const { id, isDescending } = parseSort(current);
  if (id !== column) return column;
  return isDescending ? undefined : `${column},DESC`;
}

/** The virtual rows in view, and the pages of the list that they need. */
function usePagedRows<T>({ queryKey, fetchPage, sort, refreshMs }: Props<T>) {
  const pageQuery = (page: number) => ({
    queryKey: [...queryKey, sort ?? '', page],
    queryFn: () => fetchPage({ page, limit: pageLength, ...(sort ? { sort } : {}) }),
    refetchInterval: refreshMs ?? (false as const),
  });
  const first = useQuery({ ...pageQuery(1), placeholderData: keepPreviousData });
  const total = first.data?.total ?? 0;
  const region = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: total,
    getScrollElement: () => region.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  });
  const visibleRows = rows.getVirtualItems();
  const pages = [...new Set(visibleRows.map(({ index }) => Math.floor(index / pageLength) + 1))].filter(
    (page) => page > 1,
  );
  const others = useQueries({ queries: pages.map(pageQuery) });
  const recordAt = (index: number): T | undefined => {
    const page = Math.floor(index / pageLength) + 1;
    const listPage = page === 1 ? first.data : others[pages.indexOf(page)]?.data;
    return listPage?.items[index % pageLength];
  };
  return {
    first,
    total,
    region,
    failed: [first, ...others].find(({ error }) => error),
    rows: visibleRows.map(({ index }): Row<T> => ({ index, record: recordAt(index) })),
    heightBefore: visibleRows[0]?.start ?? 0,
    heightAfter: rows.getTotalSize() - (visibleRows.at(-1)?.end ?? 0),
  };
}

export function ServerTable<T extends { id: string }>(props: Props<T>) {
  const { name, columns, sort, onSort } = props;
  const [visibility, setVisibility] = useLocalStorage<Record<string, boolean>>({
    key: `patchbay columns ${name}`,
    defaultValue: Object.fromEntries(columns.filter(({ isExtra }) => isExtra).map(({ id }) => [id, false])),
    getInitialValueInEffect: false,
  });
  const { first, total, region, failed, rows, heightBefore, heightAfter } = usePagedRows(props);
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
    data: rows,
    manualSorting: true,
    state: { columnVisibility: visibility },
    onColumnVisibilityChange: (change) =>
      setVisibility((before) => (typeof change === 'function' ? change(before) : change)),
  });
  const byId = new Map(columns.map((column) => [column.id, column]));
  const visibleColumns = table.getVisibleLeafColumns().map(({ id }) => byId.get(id)!);
  return (
    <Paper p={0} className={classes.frame}>
      <Group justify="space-between" p="sm" gap="sm" align="flex-end">
        <Group gap="sm" align="flex-end" flex="1 1 auto" className={classes.filters!}>
          {props.filters}
        </Group>
        <Group gap={4}>
          <Text size="sm" c="dimmed" role="status">
            {first.isPending ? 'Loading …' : plural(total, props.itemName)}
          </Text>
          {first.isFetching && <Loader size="xs" aria-label="Refreshing" />}
          <ColumnMenu
            columns={columns}
            isShown={(id) => table.getColumn(id)?.getIsVisible() ?? true}
            onToggle={(id) => table.getColumn(id)?.toggleVisibility()}
          />
          <CsvButton list={props} columns={visibleColumns} total={total} />
        </Group>
      </Group>
      {failed?.error && (
        <Box p="sm">
          <ErrorAlert error={failed.error} onRetry={() => void failed.refetch()} />
        </Box>
      )}
      {first.data && total === 0 && <Box p="sm">{props.empty}</Box>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs keyboard focus */}
      <section ref={region} className={classes.region} aria-label={name} tabIndex={0} hidden={total === 0}>
        <table className={classes.table} aria-rowcount={total + 1}>
          <thead>
            <tr aria-rowindex={1}>
              {visibleColumns.map((column) => (
                <Heading key={column.id} column={column} sort={sort} onSort={onSort} />
              ))}
            </tr>
          </thead>
          <tbody>
            {heightBefore > 0 && <tr aria-hidden style={{ height: heightBefore }} />}
            {table.getRowModel().rows.map((row) => (
              <tr key={row.original.index} aria-rowindex={row.original.index + 2} style={{ height: rowHeight }}>
                {row.getVisibleCells().map((cell) => (
                  <td key={cell.id} data-number={byId.get(cell.column.id)?.isNumber || undefined}>
                    <table.FlexRender cell={cell} />
                  </td>
                ))}
              </tr>
            ))}
            {heightAfter > 0 && <tr aria-hidden style={{ height: heightAfter }} />}
          </tbody>
        </table>
      </section>
    </Paper>
  );
}

function CsvButton<T>({ list, columns, total }: { list: Props<T>; columns: Column<T>[]; total: number }) {
  const { name, fetchPage, sort, itemName } = list;
  const save = useApiMutation(
    async () => {
      const records: T[] = [];
      for (let page = 1; page === 1 || records.length < total; page++) {
        const { items } = await fetchPage({ page, limit: pageLength, ...(sort ? { sort } : {}) });
        if (items.length === 0) break;
        records.push(...items);
      }
      download(
        `${name}.csv`,
        toCsv([columns.map(({ title }) => title), ...records.map((record) => columns.map(({ csv }) => csv(record)))]),
      );
      return records.length;
    },
    { successMessage: (count) => `${plural(count, itemName)} downloaded as CSV` },
  );
  return (
    <Tooltip label="Download the whole list as CSV">
      <ActionIcon
        variant="subtle"
        aria-label="Download CSV"
        onClick={() => save.mutate(undefined)}
        loading={save.isPending}
        disabled={total === 0}
      >
        <IconDownload size={18} aria-hidden />
      </ActionIcon>
    </Tooltip>
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
  const { id, isDescending } = parseSort(sort);
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
      aria-sort={isSorted ? (isDescending ? 'descending' : 'ascending') : 'none'}
    >
      <UnstyledButton className={classes.sort} onClick={() => onSort?.(nextSort(sort, column.sort!))}>
        {column.title}
        {isSorted && (isDescending ? <IconArrowDown size={14} aria-hidden /> : <IconArrowUp size={14} aria-hidden />)}
      </UnstyledButton>
    </th>
  );
}

function ColumnMenu<T>({
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
        <Tooltip label="Select columns">
          <ActionIcon variant="subtle" aria-label="Select columns">
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
