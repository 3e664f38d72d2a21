import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { fromLocalInput, toLocalInput } from './format-time.ts';

/** While a year is being typed it is one of the Romans: nothing is asked for then. */
const isComplete = (text: string): boolean => text === '' || Number(text.slice(0, 4)) >= 1970;

/** A moment that narrows something. */
export function DateTimeFilter({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string | undefined;
  onChange: (moment: string | undefined) => void;
}) {
  const [text, setText] = useState(toLocalInput(value));
  useEffect(() => setText(toLocalInput(value)), [value]);
  const settle = useDebouncedCallback((typed: string) => {
    if (isComplete(typed) && typed !== toLocalInput(value)) onChange(fromLocalInput(typed));
  }, 400);
  return (
    <TextInput
      type="datetime-local"
      label={label}
      w={200}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        settle(event.currentTarget.value);
      }}
    />
  );
}
