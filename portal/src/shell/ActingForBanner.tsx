import { Text } from '@mantine/core';
import { useOrganisations } from '../api/organisations.ts';
import { RouterLink } from '../components/router-links.tsx';
import classes from './Shell.module.css';

/** Warns that the page acts for another organisation. */
export function ActingForBanner() {
  const { acting, own } = useOrganisations();
  if (!acting) return null;
  return (
    <div className={classes.banner} role="note" aria-label="Acting for another organisation">
      <Text span size="sm">
        Acting for <strong>{acting.name}</strong>: you view and change their records.
      </Text>
      <RouterLink to="/" search={{ for: undefined } as never} size="sm">
        Back to {own?.name ?? 'your own organisation'}
      </RouterLink>
    </div>
  );
}
