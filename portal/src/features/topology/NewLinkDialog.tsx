import { Accordion, Button, Group, Modal, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { unwrap } from '../../api/client.ts';
import { useCan } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { ApiCall } from '../../components/ApiCall.tsx';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { notifyError, notifySuccess, useApiMutation } from '../../components/useApiMutation.ts';
import type { Connector } from '../network/network-queries.ts';

const deployPath = '/flow/link/{linkid}/set-in-deployment';
const maxLength = 255;

function useCreateLink() {
  const { api } = useApi();
  const navigate = useNavigate();
  return useApiMutation(
    async ({ body, isDeployed }: { body: LinkBody; isDeployed: boolean }) => {
      const link = await unwrap(api.POST('/flow/link/set-registered', { body }));
      if (!isDeployed) return { link };
      try {
        await unwrap(api.POST(deployPath, { params: { path: { linkid: link.id } } }));
        return { link };
      } catch (error) {
        // The link exists now: a retry would fail with NameTaken.
        return { link, error };
      }
    },
    {
      hasInlineError: true,
      onSuccess: ({ link, error }) => {
        if (error) notifyError('The link was created but not deployed', error);
        else notifySuccess(`${link.name} was created`);
        void navigate({ to: '/links/$linkId', params: { linkId: link.id } });
      },
    },
  );
}

interface LinkBody {
  name: string;
  description?: string;
  from: string;
  to: string;
}

/** Creates a link between two selected connectors. */
export function NewLinkDialog({ from, to, onClose }: { from: Connector; to: Connector; onClose: () => void }) {
  const can = useCan();
  const [name, setName] = useState(`${from.name}--${to.name}`.slice(0, maxLength));
  const [description, setDescription] = useState('');
  const creation = useCreateLink();
  const body = { name: name.trim(), ...(description.trim() ? { description } : {}), from: from.id, to: to.id };
  const create = (isDeployed: boolean) => creation.mutate({ body, isDeployed });
  const canDeploy = can('POST', deployPath);
  return (
    <Modal opened onClose={onClose} title="New link" size="lg">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          create(canDeploy);
        }}
      >
        <Stack>
          <Text>
            Between <strong>{from.name}</strong> and <strong>{to.name}</strong>. The ends cannot be changed later.
          </Text>
          <TextInput
            label="Name"
            description="Unique among the links of the organisation"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            required
            maxLength={maxLength}
            data-autofocus
          />
          <Textarea
            label="Description"
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
            autosize
          />
          {creation.error && <ErrorAlert error={creation.error} />}
          <Accordion variant="contained">
            <Accordion.Item value="call">
              <Accordion.Control>API call</Accordion.Control>
              <Accordion.Panel>
                <ApiCall method="POST" path="/flow/link/set-registered" body={body} />
              </Accordion.Panel>
            </Accordion.Item>
          </Accordion>
          {canDeploy && (
            <Text size="sm" c="dimmed">
              Deploying a link also deploys its two connectors. “Create” registers the link; it can be deployed later.
            </Text>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              {...(canDeploy ? { variant: 'default' } : {})}
              onClick={() => create(false)}
              loading={creation.isPending && creation.variables?.isDeployed === false}
              disabled={body.name === '' || creation.isPending}
            >
              Create
            </Button>
            {canDeploy && (
              <Button
                type="submit"
                loading={creation.isPending && creation.variables?.isDeployed === true}
                disabled={body.name === '' || creation.isPending}
              >
                Create and deploy
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
