import { Group, TextInput } from '@mantine/core';
import { fieldLabels, type UserDraft } from './user-draft.ts';

type TextFieldName = 'firstName' | 'lastName' | 'email' | 'phone' | 'site' | 'language';

const descriptions: Partial<Record<TextFieldName, string>> = {
  email: 'To sign in with, and where mails go. No two users share one.',
  language: 'A language tag such as en or fr, kept for programs that ask for it.',
};

/** What is known about a person. */
export function UserFields({
  person,
  onChange,
}: {
  person: UserDraft;
  onChange: (change: Partial<UserDraft>) => void;
}) {
  const field = (name: TextFieldName, isRequired = false) => (
    <TextInput
      label={fieldLabels[name]}
      {...(descriptions[name] ? { description: descriptions[name] } : {})}
      type={name === 'email' ? 'email' : 'text'}
      required={isRequired}
      autoComplete="off"
      value={person[name]}
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
