import { Stack, Text } from '@mantine/core';
import { ApiCall } from '../../components/ApiCall.tsx';
import { type DescriptionItem, DescriptionList } from '../../components/DescriptionList.tsx';
import { DryRunResult } from './ParameterStep.tsx';
import type { useDryRun } from './useDryRun.ts';

/** Secrets are sent, not shown: the command has a place for them. */
const withoutSecrets = (body: Record<string, unknown>): Record<string, unknown> =>
  JSON.parse(JSON.stringify(body), (key, value) => (/key$/i.test(key) && typeof value === 'string' ? '…' : value));

export function ReviewStep({
  facts,
  body,
  check,
  canDeploy,
}: {
  facts: DescriptionItem[];
  body: Record<string, unknown>;
  check: ReturnType<typeof useDryRun>;
  canDeploy: boolean;
}) {
  return (
    <Stack>
      <Text>
        {canDeploy
          ? 'Create and deploy configures the routers at once and shows each step. Create only records it; it can be deployed later.'
          : 'It is recorded. Somebody who may deploy makes it real.'}
      </Text>
      <DescriptionList facts={facts} />
      <DryRunResult check={check} />
      <ApiCall
        method="POST"
        path={`/flow/connector/${canDeploy ? 'auto-deploy' : 'set-registered'}`}
        body={withoutSecrets(body)}
      />
    </Stack>
  );
}
