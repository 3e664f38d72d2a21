import { Group, TextInput } from '@mantine/core';
import { fieldLabels, type UserDraft } from './user-draft.ts';

type TextFieldName = 'firstName' | 'lastName' | 'email' | 'phone' | 'site' | 'language';

const descriptions: Partial<Record<TextFieldName, string>> = {
  email: 'For sign-in and mails; unique among users.',
  language: 'A language tag such as en or fr, for API clients',
};

export function UserFields({ draft, onChange }: { draft: UserDraft; onChange: (changes: Partial<UserDraft>) => void }) {
  const field = (name: TextFieldName, isRequired = false) => (
    <TextInput
      label={fieldLabels[name]}
      {...(descriptions[name] ? { description: descriptions[name] } : {})}
      type={name === 'email' ? 'email' : 'text'}
      required={isRequired}
      autoComplete="off"
      value={draft[name]}
      onChange={(event) => onChange({ [name]: event.currentTarget.value })}
    />
  );
  return (
    <>
      <Group grow align="flex-start">
        {field('firstName')}
        {field('lastName', true)}
      </Group>
      {field('email', true)}
      <Group grow align="flex-start">
        {field('phone')}
        {field('site')}
      </Group>
      {field('language')}
    </>
  );
}
