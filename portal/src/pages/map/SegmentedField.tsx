import { Input, SegmentedControl } from '@mantine/core';
import { useId } from 'react';

/** A labelled segmented control. The default is the empty string, which stays out of the URL. */
export function SegmentedField({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: string;
  options: Record<string, string>;
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
        data={Object.entries(options).map(([option, title]) => ({ value: option, label: title }))}
        display="flex"
      />
    </div>
  );
}
