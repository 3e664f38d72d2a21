import { Group, NumberInput, Select } from '@mantine/core';

const units = { Mbps: 1e6, Gbps: 1e9, Tbps: 1e12 };
export type Unit = keyof typeof units;

/** The state of the input: number and unit. */
export interface CapacityInputValue {
  number: number | string;
  unit: Unit;
}

export const emptyCapacity: CapacityInputValue = { number: '', unit: 'Gbps' };

/** In the largest unit with few digits. */
export function fromBits(bits: number): CapacityInputValue {
  const unit: Unit = bits >= 1e12 && bits % 1e11 === 0 ? 'Tbps' : bits >= 1e9 && bits % 1e8 === 0 ? 'Gbps' : 'Mbps';
  return { number: bits / units[unit], unit };
}

/** Bits per second; undefined if the input is empty. */
export function toBits({ number, unit }: CapacityInputValue): number | undefined {
  const value = typeof number === 'number' ? number : Number.parseFloat(number);
  return value > 0 ? Math.round(value * units[unit]) : undefined;
}

export function CapacityInput(props: {
  label: string;
  value: CapacityInputValue;
  onChange: (value: CapacityInputValue) => void;
  note?: string | undefined;
  error?: string | undefined;
}) {
  const { label, value, onChange, note, error } = props;
  return (
    <Group gap="xs" align="flex-start" wrap="nowrap">
      <NumberInput
        label={label}
        description={note}
        error={error}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        descriptionProps={{ 'aria-live': 'polite' }}
        flex="0 1 250px"
        miw={0}
        min={0}
        decimalScale={6}
        allowNegative={false}
        thousandSeparator=" "
        value={value.number}
        onChange={(number) => onChange({ ...value, number })}
      />
      <Select
        label="Unit"
        w={92}
        flex="none"
        data={Object.keys(units)}
        allowDeselect={false}
        value={value.unit}
        onChange={(unit) => unit && onChange({ ...value, unit: unit as Unit })}
      />
    </Group>
  );
}
