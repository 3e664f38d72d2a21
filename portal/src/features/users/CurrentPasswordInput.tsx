import { PasswordInput } from '@mantine/core';

export const CurrentPasswordInput = (props: {
  value: string;
  onChange: (value: string) => void;
  description?: string;
}) => (
  <PasswordInput
    label="Current password"
    description={props.description}
    autoComplete="current-password"
    required
    withAsterisk={false}
    value={props.value}
    onChange={(event) => props.onChange(event.currentTarget.value)}
    visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the current password' }}
  />
);
