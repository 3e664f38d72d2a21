import { Button } from '@mantine/core';

export const revocationConsequence =
  'Programs that use this token get 401 from their next request on. This cannot be undone.';

export const RevokeButton = ({ name, onClick }: { name: string; onClick: () => void }) => (
  <Button size="xs" variant="default" aria-label={`Revoke ${name}`} onClick={onClick}>
    Revoke
  </Button>
);
