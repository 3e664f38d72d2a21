import { Input, SegmentedControl } from '@mantine/core';
import { useId } from 'react';

/** One of few, all of them in sight. The usual one is the empty word: it does not stand in the address. */
export function SegmentedField({
  label,
  value,
  choices,
  onChange,
}: {
  label: string;
  value: string;
  choices: Record<string, string>;
  onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <div>
      <Input.Label id={id} labelElement="div">
        {label}
      </Input.Label>
      <SegmentedControl
        aria-labelledby={id}
        value={value}
        onChange={onChange}
        data={Object.entries(choices).map(([one, title]) => ({ value: one, label: title }))}
        display="flex"
      />
    </div>
  );
}
