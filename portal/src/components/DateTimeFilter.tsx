import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { fromLocalInput, toLocalInput } from './format-time.ts';

/** While the year is being typed, it is below 1970. */
const isComplete = (text: string): boolean => text === '' || Number(text.slice(0, 4)) >= 1970;

/** A timestamp filter; the input uses local time, the value is UTC. */
export function DateTimeFilter({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string | undefined;
  onChange: (timestamp: string | undefined) => void;
}) {
  const [text, setText] = useState(toLocalInput(value));
  useEffect(() => setText(toLocalInput(value)), [value]);
  const applyLater = useDebouncedCallback((typed: string) => {
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
        applyLater(event.currentTarget.value);
      }}
    />
  );
}
