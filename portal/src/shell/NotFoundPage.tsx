import { Stack, Text } from '@mantine/core';
import { Page } from '../components/Page.tsx';
import { LinkButton } from '../components/router-links.tsx';
import { DoorFrame } from '../pages/auth/AuthLayout.tsx';

export function NotFound() {
  return (
    <DoorFrame>
      <Page title="There is no such page">
        <Stack align="flex-start">
          <Text>The address may be mistyped, or what it led to is gone.</Text>
          <LinkButton to="/">Go to the overview</LinkButton>
        </Stack>
      </Page>
    </DoorFrame>
  );
}
