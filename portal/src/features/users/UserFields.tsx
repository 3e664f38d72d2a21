import { Group, TextInput } from '@mantine/core';
import { type Person, titles } from './user-draft.ts';

type Texts = 'firstName' | 'lastName' | 'email' | 'phone' | 'site' | 'language';

const about: Partial<Record<Texts, string>> = {
  email: 'To sign in with, and where mails go. No two users share one.',
  language: 'A language tag such as en or fr, kept for programs that ask for it.',
};

/** What is known about a person. */
export function PersonFields({ person, onChange }: { person: Person; onChange: (change: Partial<Person>) => void }) {
  const field = (name: Texts, isRequired = false) => (
    <TextInput
      label={titles[name]}
      {...(about[name] ? { description: about[name] } : {})}
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
