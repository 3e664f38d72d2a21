import { Stack, Text } from '@mantine/core';
import { Page } from '../components/Page.tsx';
import { RouterButton } from '../components/router-links.tsx';
import { AuthLayout } from '../pages/auth/AuthLayout.tsx';

export function NotFoundPage() {
  return (
    <AuthLayout>
      <Page title="There is no such page">
        <Stack align="flex-start">
          <Text>The address may be mistyped, or what it led to is gone.</Text>
          <RouterButton to="/">Go to the overview</RouterButton>
        </Stack>
      </Page>
    </AuthLayout>
  );
}
