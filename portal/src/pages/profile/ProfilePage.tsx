// Who one is.
import { Button, Group, Paper, SimpleGrid, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { ask, askTagged, type Tagged } from '../../api/client.ts';
import { useOrganisations } from '../../api/organisations.ts';
import { ownApi } from '../../api/own-api.ts';
import { useMay } from '../../api/queries.ts';
import { Copyable } from '../../components/CopyableText.tsx';
import { Facts } from '../../components/DescriptionList.tsx';
import { Clash } from '../../components/EditConflict.tsx';
import { Failure } from '../../components/ErrorAlert.tsx';
import { Page } from '../../components/Page.tsx';
import { Asked } from '../../components/QueryResult.tsx';
import { When } from '../../components/RelativeTime.tsx';
import { useEdit } from '../../components/useEdit.ts';
import { PersonFields } from '../../features/users/UserFields.tsx';
import { changesOf, nameOf, personFields, personOf, spoken, type User } from '../../features/users/user-draft.ts';
import { SignIns } from '../users/UserDrawer.tsx';
import { Password } from './ChangePassword.tsx';

const read = (): Promise<Tagged<User>> => askTagged(ownApi.GET('/me/info'));

export default function Profile() {
  const { own } = useOrganisations();
  const may = useMay();
  const me = useQuery({ queryKey: ['me', 'profile'], queryFn: read, gcTime: 0 });
  const mayWrite = may('PUT', '/me/info');
  return (
    <Page title="Profile" about="Who you are here, and how you sign in.">
      <Asked query={me} lines={8}>
        {(tagged) => (
          <>
            <Facts
              facts={[
                ['Name', nameOf(tagged.value)],
                ['E-mail address', tagged.value.email],
                ['Role', tagged.value.role],
                ['Organisation', own?.name ?? tagged.value.organisationId],
                ['Since', <When key="since" moment={tagged.value.createdAt} />],
                ['Your id', <Copyable key="id" text={tagged.value.id} what="your id" />],
              ]}
            />
            {mayWrite && (
              <SimpleGrid cols={{ base: 1, lg: 2 }}>
                <About opened={tagged} />
                <Password />
              </SimpleGrid>
            )}
            <SignIns user={tagged.value} />
          </>
        )}
      </Asked>
    </Page>
  );
}

function About({ opened }: { opened: Tagged<User> }) {
  const edit = useEdit({
    opened,
    read,
    draftOf: personOf,
    write: (before, draft, etag) =>
      ask(ownApi.PUT('/me/info', { params: { header: { 'If-Match': etag } }, body: changesOf(before, draft) })),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    edit.save();
  };
  return (
    <Paper>
      <form onSubmit={submit}>
        <Stack>
          <Title order={2}>About you</Title>
          <Clash edit={edit} fields={personFields} spoken={spoken} />
          {edit.error && <Failure error={edit.error} title="Nothing was changed" />}
          <PersonFields person={edit.draft} onChange={edit.change} />
          <Group justify="flex-end">
            <Button type="submit" loading={edit.isSaving}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}
