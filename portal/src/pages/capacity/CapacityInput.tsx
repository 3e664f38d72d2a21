import { Group, NumberInput, Select } from '@mantine/core';

const units = { Mbps: 1e6, Gbps: 1e9, Tbps: 1e12 };
export type Unit = keyof typeof units;

/** A capacity as it is being typed. */
export interface CapacityInputValue {
  number: number | string;
  unit: Unit;
}

export const emptyCapacity: CapacityInputValue = { number: '', unit: 'Gbps' };

/** In the largest unit that leaves few digits. */
export function fromBits(bits: number): CapacityInputValue {
  const unit: Unit = bits >= 1e12 && bits % 1e11 === 0 ? 'Tbps' : bits >= 1e9 && bits % 1e8 === 0 ? 'Gbps' : 'Mbps';
  return { number: bits / units[unit], unit };
}

/** Whole bits per second, or nothing where no amount was typed. */
export function toBits({ number, unit }: CapacityInputValue): number | undefined {
  const value = typeof number === 'number' ? number : Number.parseFloat(number);
  return value > 0 ? Math.round(value * units[unit]) : undefined;
}

/** A number with its unit. */
export function CapacityInput(props: {
  label: string;
  typed: CapacityInputValue;
  onChange: (typed: CapacityInputValue) => void;
  /** What follows from it, or why it was refused. */
  note?: string | undefined;
  error?: string | undefined;
}) {
  const { label, typed, onChange, note, error } = props;
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
        value={typed.number}
        onChange={(number) => onChange({ ...typed, number })}
      />
      <Select
        label="Unit"
        w={92}
        flex="none"
        data={Object.keys(units)}
        allowDeselect={false}
        value={typed.unit}
        onChange={(unit) => unit && onChange({ ...typed, unit: unit as Unit })}
      />
    </Group>
  );
}
