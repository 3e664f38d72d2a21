import { Paper, Stack, Title } from '@mantine/core';
import { useMemo } from 'react';
import { EmptyState } from '../../components/EmptyState.tsx';
import { Page } from '../../components/Page.tsx';
import { QueryResult } from '../../components/QueryResult.tsx';
import { RouterButton, RouterLink } from '../../components/router-links.tsx';
import { useSearchParams } from '../../components/useSearchParams.ts';
import { ConnectorCharts } from '../../features/charts/ConnectorCharts.tsx';
import { GroupCharts } from '../../features/charts/GroupCharts.tsx';
import { LinkCharts } from '../../features/charts/LinkCharts.tsx';
import { RangePicker } from '../../features/charts/RangePicker.tsx';
import { type RangeSelection, useRangeSelection } from '../../features/charts/time-range.ts';
import { GroupComparison } from './GroupComparison.tsx';
import { type Subject, type SubjectType, splitList, useSubjects } from './metric-subjects.ts';
import { SubjectSelect } from './SubjectSelect.tsx';

const kinds: SubjectType[] = ['connector', 'link', 'group'];
const maxSubjects = 6;
const folders: Record<SubjectType, string> = { connector: 'connectors', link: 'links', group: 'groups' };
const subjectPath = ({ kind, id }: Subject): string => `/${folders[kind]}/${id}`;

function SubjectCharts({ thing: { kind, irn, capacityBps }, range }: { thing: Subject; range: RangeSelection }) {
  if (kind === 'connector') return <ConnectorCharts irn={irn} capacityBps={capacityBps} range={range} />;
  if (kind === 'link') return <LinkCharts irn={irn} range={range} />;
  return <GroupCharts irn={irn} range={range} />;
}

function SubjectSection({ thing, range }: { thing: Subject; range: RangeSelection }) {
  return (
    <section aria-label={`${thing.kind} ${thing.name}`}>
      <Title order={2} mb="xs" style={{ overflowWrap: 'anywhere' }}>
        <RouterLink to={subjectPath(thing)} inherit>
          {thing.name}
        </RouterLink>
      </Title>
      <SubjectCharts thing={thing} range={range} />
    </section>
  );
}

function SubjectSections({ irns }: { irns: string[] }) {
  const range = useRangeSelection();
  const things = useSubjects(irns);
  return (
    <Stack>
      <RangePicker range={range} />
      {things.map((query, index) => (
        <QueryResult key={irns[index]} query={query}>
          {(thing) =>
            thing ? (
              <SubjectSection thing={thing} range={range} />
            ) : (
              <EmptyState title="This is not here">
                {irns[index]} is no connector, link or group of this organisation, or no longer. Choose another above.
              </EmptyState>
            )
          }
        </QueryResult>
      ))}
    </Stack>
  );
}

export default function MetricsPage() {
  const [search, change] = useSearchParams();
  const irns = useMemo(() => splitList(search.irn).slice(0, maxSubjects), [search.irn]);
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
          <RouterButton to="/metrics" variant="default" search={{ range: search.range } as never}>
            Compare groups
          </RouterButton>
        )
      }
    >
      <Paper>
        <SubjectSelect
          label="Show graphs of"
          description={`Connectors, links or groups, up to ${maxSubjects}, by name, IRN, AS number or city`}
          kinds={kinds}
          chosen={irns}
          onChoose={(chosen) => change({ irn: chosen.join(',') })}
          atMost={maxSubjects}
        />
      </Paper>
      {irns.length > 0 ? <SubjectSections irns={irns} /> : <GroupComparison />}
    </Page>
  );
}
