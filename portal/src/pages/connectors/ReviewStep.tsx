import { Stack, Text } from '@mantine/core';
import { forms } from '@patchbay/client';
import { ApiCall } from '../../components/ApiCall.tsx';
import { type DescriptionItem, DescriptionList } from '../../components/DescriptionList.tsx';
import { DryRunResult } from './ParameterStep.tsx';
import type { useDryRun } from './useDryRun.ts';

/** Masks secrets in the displayed request. */
const secretNames = new Set(
  Object.values(forms).flatMap((fields) => fields.filter(({ isSecret }) => isSecret).map(({ name }) => name)),
);
const withoutSecrets = (body: Record<string, unknown>): Record<string, unknown> =>
  JSON.parse(JSON.stringify(body), (key, value) => (secretNames.has(key) ? '…' : value));

export function ReviewStep({
  items,
  body,
  dryRun,
  canDeploy,
}: {
  items: DescriptionItem[];
  body: Record<string, unknown>;
  dryRun: ReturnType<typeof useDryRun>;
  canDeploy: boolean;
}) {
  return (
    <Stack>
      <Text>
        {canDeploy
          ? '“Create and deploy” configures the routers and shows each step. “Create” only registers the connector; it can be deployed later.'
          : 'The connector is registered. A user with deploy permission can deploy it.'}
      </Text>
      <DescriptionList items={items} />
      <DryRunResult dryRun={dryRun} />
      <ApiCall
        method="POST"
        path={`/flow/connector/${canDeploy ? 'auto-deploy' : 'set-registered'}`}
        body={withoutSecrets(body)}
      />
    </Stack>
  );
}
