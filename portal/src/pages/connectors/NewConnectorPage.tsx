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
  const scoped = useApi();
  const groups = useQuery(groupsQuery(scoped));
  const can = useCan();
  const isForbidden = useQuery(permissionsQuery(scoped)).isSuccess && !can('POST', '/flow/connector/set-registered');
  return (
    <Page
      title="New connector"
      about="Connects a provider or one of your sites, in four steps. Only the last step creates it."
    >
      <QueryResult query={groups}>
        {(all) =>
          isForbidden ? (
            <EmptyState title="Not allowed">Your role does not allow creating connectors.</EmptyState>
          ) : all.length ? (
            <Wizard groups={all} />
          ) : (
            <EmptyState title="No groups yet" action={<RouterButton to="/groups">Go to groups</RouterButton>}>
              A connector belongs to a group. Create a group first.
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
  const can = useCan();
  const navigate = useNavigate();
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls up on every step
  useEffect(() => {
    window.scrollTo({ top: 0 });
  }, [step]);
  const body = toCreateBody(draft);
  const creation = useApiMutation(
    (isDeployed: boolean) =>
      unwrap(
        isDeployed
          ? api.POST('/flow/connector/auto-deploy', { body: body as never })
          : api.POST('/flow/connector/set-registered', { body: body as never }),
      ),
    {
      successMessage: ({ name }) => `Connector ${name} created`,
      onSuccess: ({ id }) =>
        void navigate({
          to: '/connectors/$connectorId',
          params: { connectorId: id },
          search: ((before: { for?: string }) => ({ for: before.for, tab: 'deployment' })) as never,
        }),
      hasInlineError: true,
    },
  );
  // After creation the dry run would fail with NameTaken.
  const dryRun = useDryRun(draft, step >= 2 && !creation.isPending && !creation.isSuccess);
  const change = (changed: Partial<ConnectorDraft>) => {
    creation.reset();
    setDraft((before) => ({ ...before, ...changed }));
  };
  const isReady = [
    draft.groupId !== '' && draft.family !== '',
    draft.endpointId !== '',
    dryRun.isSettled && dryRun.accepted !== undefined,
    true,
  ];
  const canDeploy = can('POST', '/flow/connector/{connid}/set-in-deployment');
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
            <ParameterStep draft={draft} onChange={change} dryRun={dryRun} />
          </Stepper.Step>
          <Stepper.Step label="Review">
            <ReviewStep
              items={[
                ['Name', String(draft.values.name)],
                ['Group', groups.find(({ id }) => id === draft.groupId)?.name ?? '–'],
                ['Connects', familyTitle(draft.family)],
                ['Description', String(draft.values.description || dryRun.accepted?.filledIn.description || '–')],
              ]}
              body={body}
              dryRun={dryRun}
              canDeploy={canDeploy}
            />
          </Stepper.Step>
        </Stepper>
        {creation.error && <ErrorAlert error={creation.error} title="The connector was not created" />}
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
                onClick={() => creation.mutate(false)}
                loading={creation.isPending}
              >
                Create
              </Button>
              {canDeploy && (
                <Button onClick={() => creation.mutate(true)} loading={creation.isPending}>
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
