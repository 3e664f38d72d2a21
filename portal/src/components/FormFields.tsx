// Form fields generated from field specs, with the server's validation messages.
import { PasswordInput, Select, Stack, Textarea, TextInput } from '@mantine/core';
import type { FormField } from '@patchbay/client';
import { brandedFieldName } from '../api/brand-names.ts';
import { TagPicker } from './Tags.tsx';

export type FormValues = Record<string, string | string[]>;

export interface FieldSpec {
  name: string;
  label: string;
  help?: string;
  isRequired?: boolean;
  kind?: 'text' | 'area' | 'tags' | 'choice' | 'secret' | 'number';
  choices?: string[];
}

const acronyms: Record<string, string> = {
  asn: 'ASN',
  as: 'AS',
  bgp: 'BGP',
  ip: 'IP',
  vlan: 'VLAN',
  id: 'ID',
  med: 'MED',
  cme: 'CME',
};

/** `platformAsNumber` becomes "Platform AS number". */
export function fieldLabel(name: string): string {
  const parts = brandedFieldName(name)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(' ')
    .map((part) => acronyms[part.toLowerCase()] ?? (/^[A-Z]$/.test(part) ? part : part.toLowerCase()));
  const title = parts.join(' ');
  return title.charAt(0).toUpperCase() + title.slice(1);
}

export const toFieldSpec = ({ name, help, isRequired, isSecret, choices, isNumber }: FormField): FieldSpec => ({
  name,
  label: fieldLabel(name),
  help,
  isRequired,
  kind: choices ? 'choice' : isSecret ? 'secret' : isNumber ? 'number' : 'text',
  ...(choices ? { choices } : {}),
});

export const commonFieldSpecs: FieldSpec[] = [
  { name: 'name', label: 'Name', isRequired: true },
  { name: 'description', label: 'Description', kind: 'area' },
  { name: 'tagIds', label: 'Tags', kind: 'tags' },
];

const textOf = (value: FormValues[string] | undefined): string => (typeof value === 'string' ? value : '');

function FieldInput({
  spec,
  value,
  problem,
  onChange,
}: {
  spec: FieldSpec;
  value: FormValues[string] | undefined;
  problem: string | undefined;
  onChange: (value: FormValues[string]) => void;
}) {
  const shared = {
    label: spec.label,
    description: spec.help,
    error: problem,
    withAsterisk: spec.isRequired ?? false,
    'aria-required': spec.isRequired ?? false,
  };
  const write = (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value);
  switch (spec.kind) {
    case 'tags':
      return <TagPicker value={Array.isArray(value) ? value : []} onChange={onChange} />;
    case 'choice':
      return (
        <Select
          {...shared}
          data={spec.choices ?? []}
          value={textOf(value) || null}
          onChange={(chosen) => onChange(chosen ?? '')}
          clearable={!spec.isRequired}
          clearButtonProps={{ 'aria-label': `${spec.label}: none` }}
        />
      );
    case 'area':
      return <Textarea {...shared} autosize minRows={2} maxLength={2000} value={textOf(value)} onChange={write} />;
    case 'secret':
      return (
        <PasswordInput
          {...shared}
          autoComplete="off"
          value={textOf(value)}
          onChange={write}
          visibilityToggleButtonProps={{ 'aria-label': `Show or hide: ${spec.label}` }}
        />
      );
    default:
      return (
        <TextInput
          {...shared}
          autoComplete="off"
          inputMode={spec.kind === 'number' ? 'numeric' : 'text'}
          maxLength={255}
          value={textOf(value)}
          onChange={write}
        />
      );
  }
}

export function FormFields({
  specs,
  values,
  problems,
  onChange,
}: {
  specs: FieldSpec[];
  values: FormValues;
  problems: Record<string, string>;
  onChange: (values: FormValues) => void;
}) {
  return (
    <Stack gap="sm">
      {specs.map((spec) => (
        <FieldInput
          key={spec.name}
          spec={spec}
          value={values[spec.name]}
          problem={problems[spec.name]}
          onChange={(value) => onChange({ ...values, [spec.name]: value })}
        />
      ))}
    </Stack>
  );
}

/** The request body of the values: numeric fields as numbers, empty ones left out. */
export function toRequestBody(specs: FieldSpec[], values: FormValues): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const { name, kind } of specs) {
    const value = values[name];
    if (value === undefined || value === '') continue;
    body[name] = kind === 'number' && /^\d+$/.test(String(value)) ? Number(value) : value;
  }
  return body;
}
