import { Text } from '@mantine/core';
import { useOrganisations } from '../api/organisations.ts';
import { RouterLink } from '../components/router-links.tsx';
import classes from './Shell.module.css';

/** Never to be overlooked: what is done here is done to somebody else's network. */
export function ActingForBanner() {
  const { acting, own } = useOrganisations();
  if (!acting) return null;
  return (
    <div className={classes.banner} role="note" aria-label="Acting for another organisation">
      <Text span size="sm">
        Acting for <strong>{acting.name}</strong>: what you see and do here is theirs.
      </Text>
      <RouterLink to="/" search={{ for: undefined } as never} size="sm">
        Back to {own?.name ?? 'your own organisation'}
      </RouterLink>
    </div>
  );
}
