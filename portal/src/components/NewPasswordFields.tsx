import { PasswordInput } from '@mantine/core';
import { useState } from 'react';

const toggle = { 'aria-label': 'Show or hide the password' };

/** Two password inputs; `chosen` is empty until both match. */
export function useNewPassword() {
  const [password, setPassword] = useState('');
  const [repeated, setRepeated] = useState('');
  return {
    chosen: password === repeated ? password : '',
    clear: () => {
      setPassword('');
      setRepeated('');
    },
    fields: (
      <>
        <PasswordInput
          label="New password"
          description="12 characters or more that are hard to guess, for example four random words."
          autoComplete="new-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          visibilityToggleButtonProps={toggle}
        />
        <PasswordInput
          label="Repeat the password"
          autoComplete="new-password"
          required
          value={repeated}
          onChange={(event) => setRepeated(event.currentTarget.value)}
          error={repeated !== '' && repeated !== password ? 'The passwords differ' : undefined}
          visibilityToggleButtonProps={toggle}
        />
      </>
    ),
  };
}
