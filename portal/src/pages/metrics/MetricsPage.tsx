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

const subjectTypes: SubjectType[] = ['connector', 'link', 'group'];
const maxSubjects = 6;
const listPaths: Record<SubjectType, string> = { connector: 'connectors', link: 'links', group: 'groups' };
const subjectPath = ({ type, id }: Subject): string => `/${listPaths[type]}/${id}`;

function SubjectCharts({ subject: { type, irn, capacityBps }, range }: { subject: Subject; range: RangeSelection }) {
  if (type === 'connector') return <ConnectorCharts irn={irn} capacityBps={capacityBps} range={range} />;
  if (type === 'link') return <LinkCharts irn={irn} range={range} />;
  return <GroupCharts irn={irn} range={range} />;
}

function SubjectSection({ subject, range }: { subject: Subject; range: RangeSelection }) {
  return (
    <section aria-label={`${subject.type} ${subject.name}`}>
      <Title order={2} mb="xs" style={{ overflowWrap: 'anywhere' }}>
        <RouterLink to={subjectPath(subject)} inherit>
          {subject.name}
        </RouterLink>
      </Title>
      <SubjectCharts subject={subject} range={range} />
    </section>
  );
}

function SubjectSections({ irns }: { irns: string[] }) {
  const range = useRangeSelection();
  const subjects = useSubjects(irns);
  return (
    <Stack>
      <RangePicker range={range} />
      {subjects.map((query, index) => (
        <QueryResult key={irns[index]} query={query}>
          {(subject) =>
            subject ? (
              <SubjectSection subject={subject} range={range} />
            ) : (
              <EmptyState title="Not found">
                This organisation has no connector, link or group with the IRN {irns[index]}.
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
          ? 'Charts of the selected connectors, links and groups'
          : 'A comparison of groups. Select connectors, links or groups to see their charts.'
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
          label="Show charts of"
          description={`Up to ${maxSubjects} connectors, links or groups, by name, IRN, AS number or city`}
          types={subjectTypes}
          selected={irns}
          onSelect={(selected) => change({ irn: selected.join(',') })}
          maxSelected={maxSubjects}
        />
      </Paper>
      {irns.length > 0 ? <SubjectSections irns={irns} /> : <GroupComparison />}
    </Page>
  );
}
