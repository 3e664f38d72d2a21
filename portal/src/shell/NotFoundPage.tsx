import { Stack, Text } from '@mantine/core';
import { Page } from '../components/Page.tsx';
import { RouterButton } from '../components/router-links.tsx';
import { AuthLayout } from '../pages/auth/AuthLayout.tsx';

export function NotFoundPage() {
  return (
    <AuthLayout>
      <Page title="Page not found">
        <Stack align="flex-start">
          <Text>The URL may be mistyped, or the page no longer exists.</Text>
          <RouterButton to="/">Go to overview</RouterButton>
        </Stack>
      </Page>
    </AuthLayout>
  );
}
