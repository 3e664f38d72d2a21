import { Paper, Stack, Title } from '@mantine/core';
import { useMemo } from 'react';
import { Empty } from '../../components/EmptyState.tsx';
import { Page } from '../../components/Page.tsx';
import { Asked } from '../../components/QueryResult.tsx';
import { LinkButton, RecordLink } from '../../components/router-links.tsx';
import { useListSearch } from '../../components/useSearchParams.ts';
import { ConnectorCharts } from '../../features/charts/ConnectorCharts.tsx';
import { GroupCharts } from '../../features/charts/GroupCharts.tsx';
import { LinkCharts } from '../../features/charts/LinkCharts.tsx';
import { RangeChoice } from '../../features/charts/RangePicker.tsx';
import { type ShownRange, useRange } from '../../features/charts/time-range.ts';
import { Compared } from './GroupComparison.tsx';
import { type Kind, listOf, type Thing, useThings } from './metric-subjects.ts';
import { Choice } from './SubjectSelect.tsx';

const kinds: Kind[] = ['connector', 'link', 'group'];
const mostThings = 6;
const folders: Record<Kind, string> = { connector: 'connectors', link: 'links', group: 'groups' };
const addressOf = ({ kind, id }: Thing): string => `/${folders[kind]}/${id}`;

function Charts({ thing: { kind, irn, capacityBps }, range }: { thing: Thing; range: ShownRange }) {
  if (kind === 'connector') return <ConnectorCharts irn={irn} capacityBps={capacityBps} range={range} />;
  if (kind === 'link') return <LinkCharts irn={irn} range={range} />;
  return <GroupCharts irn={irn} range={range} />;
}

function Section({ thing, range }: { thing: Thing; range: ShownRange }) {
  return (
    <section aria-label={`${thing.kind} ${thing.name}`}>
      <Title order={2} mb="xs" style={{ overflowWrap: 'anywhere' }}>
        <RecordLink to={addressOf(thing)} inherit>
          {thing.name}
        </RecordLink>
      </Title>
      <Charts thing={thing} range={range} />
    </section>
  );
}

function Sections({ irns }: { irns: string[] }) {
  const range = useRange();
  const things = useThings(irns);
  return (
    <Stack>
      <RangeChoice range={range} />
      {things.map((query, index) => (
        <Asked key={irns[index]} query={query}>
          {(thing) =>
            thing ? (
              <Section thing={thing} range={range} />
            ) : (
              <Empty title="This is not here">
                {irns[index]} is no connector, link or group of this organisation, or no longer. Choose another above.
              </Empty>
            )
          }
        </Asked>
      ))}
    </Stack>
  );
}

export default function Metrics() {
  const [search, change] = useListSearch();
  const irns = useMemo(() => listOf(search.irn).slice(0, mostThings), [search.irn]);
  return (
    <Page
      title="Metrics"
      about={
        irns.length > 0
          ? 'What was measured, for each of those that you chose.'
          : 'Groups compared. Choose connectors, links or groups to see the graphs of each.'
      }
      actions={
        irns.length > 0 && (
          <LinkButton to="/metrics" variant="default" search={{ range: search.range } as never}>
            Compare groups
          </LinkButton>
        )
      }
    >
      <Paper>
        <Choice
          label="Show graphs of"
          description={`Connectors, links or groups, up to ${mostThings}, by name, IRN, AS number or city`}
          kinds={kinds}
          chosen={irns}
          onChoose={(chosen) => change({ irn: chosen.join(',') })}
          atMost={mostThings}
        />
      </Paper>
      {irns.length > 0 ? <Sections irns={irns} /> : <Compared />}
    </Page>
  );
}
