import { Button, Group, Paper, Stack, Stepper } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { familyTitle } from '../../api/brand-names.ts';
import { unwrap } from '../../api/client.ts';
import { groupsQuery, permissionsQuery, useCan } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { Page } from '../../components/Page.tsx';
import { QueryResult } from '../../components/QueryResult.tsx';
import { RouterButton } from '../../components/router-links.tsx';
import { useApiMutation } from '../../components/useApiMutation.ts';
import { useSearchParams } from '../../components/useSearchParams.ts';
import { type ConnectorDraft, emptyDraft, toCreateBody } from './connector-draft.ts';
import { EndpointStep } from './EndpointStep.tsx';
import { ParameterStep } from './ParameterStep.tsx';
import { ProviderStep } from './ProviderStep.tsx';
import { ReviewStep } from './ReviewStep.tsx';
import { useDryRun } from './useDryRun.ts';

export default function NewConnectorPage() {
  const use = useApi();
  const groups = useQuery(groupsQuery(use));
  const may = useCan();
  const isRefused = useQuery(permissionsQuery(use)).isSuccess && !may('POST', '/flow/connector/set-registered');
  return (
    <Page
      title="New connector"
      about="A provider's on-ramp, or a site of yours, in four steps. Nothing is made before the last one."
    >
      <QueryResult query={groups}>
        {(all) =>
          isRefused ? (
            <EmptyState title="Not with your role">Your role does not let you create connectors.</EmptyState>
          ) : all.length ? (
            <Wizard groups={all} />
          ) : (
            <EmptyState title="First a group" action={<RouterButton to="/groups">To the groups</RouterButton>}>
              A connector belongs to a group, with others that it may be linked with. There is none yet.
            </EmptyState>
          )
        }
      </QueryResult>
    </Page>
  );
}

function Wizard({ groups }: { groups: { id: string; name: string }[] }) {
  const [{ groupId = groups.length === 1 ? (groups[0]?.id ?? '') : '' }] = useSearchParams();
  const [draft, setDraft] = useState<ConnectorDraft>({ ...emptyDraft, groupId });
  const [step, setStep] = useState(0);
  const { api } = useApi();
  const may = useCan();
  const navigate = useNavigate();
  // Each step is read from its beginning.
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the step has changed
  useEffect(() => {
    window.scrollTo({ top: 0 });
  }, [step]);
  const body = toCreateBody(draft);
  const make = useApiMutation(
    (isDeployed: boolean) =>
      unwrap(
        isDeployed
          ? api.POST('/flow/connector/auto-deploy', { body: body as never })
          : api.POST('/flow/connector/set-registered', { body: body as never }),
      ),
    {
      done: ({ name }) => `Connector ${name} created`,
      onDone: ({ id }) =>
        void navigate({
          to: '/connectors/$connectorId',
          params: { connectorId: id },
          search: ((before: { for?: string }) => ({
            ...(before.for ? { for: before.for } : {}),
            tab: 'deployment',
          })) as never,
        }),
      isQuiet: true,
    },
  );
  // What was made is not asked about again: its name is taken now.
  const check = useDryRun(draft, step >= 2 && !make.isPending && !make.isSuccess);
  const change = (changed: Partial<ConnectorDraft>) => {
    make.reset();
    setDraft((before) => ({ ...before, ...changed }));
  };
  const isReady = [
    draft.groupId !== '' && draft.family !== '',
    draft.placeId !== '',
    check.isSettled && check.prospect !== undefined,
    true,
  ];
  const canDeploy = may('POST', '/flow/connector/{connid}/set-in-deployment');
  return (
    <Paper>
      <Stack>
        <Stepper active={step} onStepClick={setStep} allowNextStepsSelect={false} size="sm" wrap>
          <Stepper.Step label="Provider">
            <ProviderStep draft={draft} groups={groups} onChange={change} />
          </Stepper.Step>
          <Stepper.Step label={draft.family === 'entreprise' ? 'Site' : 'Destination'}>
            <EndpointStep draft={draft} onChange={change} />
          </Stepper.Step>
          <Stepper.Step label="Parameters">
            <ParameterStep draft={draft} onChange={change} check={check} />
          </Stepper.Step>
          <Stepper.Step label="Review">
            <ReviewStep
              facts={[
                ['Name', String(draft.values.name)],
                ['Group', groups.find(({ id }) => id === draft.groupId)?.name ?? '–'],
                ['What is connected', familyTitle(draft.family)],
                ['Description', String(draft.values.description || check.prospect?.filledIn.description || '–')],
              ]}
              body={body}
              check={check}
              canDeploy={canDeploy}
            />
          </Stepper.Step>
        </Stepper>
        {make.error && <ErrorAlert error={make.error} title="The connector was not created" />}
        <Group justify="space-between">
          <Button variant="default" onClick={() => setStep(step - 1)} disabled={step === 0}>
            Back
          </Button>
          {step < 3 ? (
            <Button onClick={() => setStep(step + 1)} disabled={!isReady[step]}>
              Next
            </Button>
          ) : (
            <Group>
              <Button
                variant={canDeploy ? 'default' : 'filled'}
                onClick={() => make.mutate(false)}
                loading={make.isPending}
              >
                Create only
              </Button>
              {canDeploy && (
                <Button onClick={() => make.mutate(true)} loading={make.isPending}>
                  Create and deploy
                </Button>
              )}
            </Group>
          )}
        </Group>
      </Stack>
    </Paper>
  );
}
