import { Button, Group, Paper, SimpleGrid, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ownApi, unwrap, unwrapVersioned, type Versioned } from '../../api/client.ts';
import { useOrganisations } from '../../api/organisations.ts';
import { useCan } from '../../api/queries.ts';
import { CopyableText } from '../../components/CopyableText.tsx';
import { DescriptionList } from '../../components/DescriptionList.tsx';
import { EditConflict } from '../../components/EditConflict.tsx';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { Page } from '../../components/Page.tsx';
import { QueryResult } from '../../components/QueryResult.tsx';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { useEdit } from '../../components/useEdit.ts';
import { CurrentPasswordInput } from '../../features/users/CurrentPasswordInput.tsx';
import { SignInHistory } from '../../features/users/SignInHistory.tsx';
import { UserFields } from '../../features/users/UserFields.tsx';
import {
  formatValue,
  fullName,
  toChangeBody,
  toUserDraft,
  type User,
  userFields,
} from '../../features/users/user-draft.ts';
import { ChangePassword } from './ChangePassword.tsx';

const readProfile = (): Promise<Versioned<User>> => unwrapVersioned(ownApi.GET('/me/info'));

export default function ProfilePage() {
  const { own } = useOrganisations();
  const can = useCan();
  const me = useQuery({ queryKey: ['me', 'profile'], queryFn: readProfile, gcTime: 0 });
  const canWrite = can('PUT', '/me/info');
  return (
    <Page title="Profile" about="Your personal data and password">
      <QueryResult query={me} lines={8}>
        {(versioned) => (
          <>
            <DescriptionList
              items={[
                ['Name', fullName(versioned.value)],
                ['E-mail address', versioned.value.email],
                ['Role', versioned.value.role],
                ['Organisation', own?.name ?? versioned.value.organisationId],
                ['Created', <RelativeTime key="since" timestamp={versioned.value.createdAt} />],
                ['Id', <CopyableText key="id" text={versioned.value.id} what="your id" />],
              ]}
            />
            {canWrite && (
              <SimpleGrid cols={{ base: 1, lg: 2 }}>
                <ProfileForm opened={versioned} />
                <ChangePassword />
              </SimpleGrid>
            )}
            <SignInHistory user={versioned.value} />
          </>
        )}
      </QueryResult>
    </Page>
  );
}

function ProfileForm({ opened }: { opened: Versioned<User> }) {
  const [currentPassword, setCurrentPassword] = useState('');
  const edit = useEdit({
    opened,
    read: readProfile,
    draftOf: toUserDraft,
    write: (before, draft, etag) =>
      unwrap(
        ownApi.PUT('/me/info', {
          params: { header: { 'If-Match': etag } },
          body: { ...toChangeBody(before, draft), ...(currentPassword ? { currentPassword } : {}) },
        }),
      ),
  });
  const isEmailChanged = edit.draft.email !== opened.value.email;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    edit.save();
  };
  return (
    <Paper>
      <form onSubmit={submit}>
        <Stack>
          <Title order={2}>Personal data</Title>
          <EditConflict edit={edit} fields={userFields} formatValue={formatValue} />
          {edit.error && <ErrorAlert error={edit.error} title="The changes were not saved" />}
          <UserFields draft={edit.draft} onChange={edit.change} />
          {isEmailChanged && (
            <CurrentPasswordInput
              value={currentPassword}
              onChange={setCurrentPassword}
              description="A new e-mail address needs your current password. The old address gets a mail."
            />
          )}
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
