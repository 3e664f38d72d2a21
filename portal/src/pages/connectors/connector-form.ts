// A connector as forms see it: plain fields, whichever family it is of.
import { forms, type Schemas } from '@patchbay/client';
import {
  commonFieldSpecs,
  type FieldSpec,
  type FormValues,
  toFieldSpec,
  toRequestBody,
} from '../../components/FormFields.tsx';

type WriteModel = Schemas['Connector.write'];

export const editable: FieldSpec[] = commonFieldSpecs;

/** Which of the objects it has: a provider's, or the site's. */
export function familyOf({ csp, entreprise }: WriteModel): string {
  if (entreprise) return 'entreprise';
  const owned = Object.entries(csp ?? {}).find(([name, value]) => name in forms && value !== null);
  return owned?.[0] ?? '';
}

/** Where it stands is decided once. */
const immutableFields = new Set(['cloudApplianceID']);

export const familyFieldSpecs = (family: string): FieldSpec[] =>
  (forms[family] ?? [])
    .filter(({ name }) => !immutableFields.has(name))
    .map((field) => ({ ...toFieldSpec(field), isRequired: field.isRequired && !field.isSecret }));

/** An account has twelve digits. On the wire it is a number, which has lost those that it begins with. */
const restoreLeadingZeros = (name: string, value: unknown): unknown =>
  name === 'providerAAccount' && typeof value === 'number' ? String(value).padStart(12, '0') : value;

export function parametersOf(written: WriteModel): Record<string, unknown> {
  const family = familyOf(written);
  const own = family === 'entreprise' ? written.entreprise : (written.csp as Record<string, unknown> | null)?.[family];
  return Object.fromEntries(Object.entries(own ?? {}).map(([name, value]) => [name, restoreLeadingZeros(name, value)]));
}

export function toFormValues(written: WriteModel): FormValues {
  const own = Object.entries(parametersOf(written)).map(([name, value]) => [name, value === null ? '' : String(value)]);
  return {
    name: written.name,
    description: written.description ?? '',
    tagIds: written.tagIds ?? [],
    ...Object.fromEntries(own),
  };
}

/** A change as the API takes it: what was emptied is cleared. */
export function toChangeBody(family: string, change: FormValues): Record<string, unknown> {
  const specs = familyFieldSpecs(family).filter(({ name }) => name in change);
  const cleared = Object.fromEntries(specs.filter(({ name }) => change[name] === '').map(({ name }) => [name, null]));
  const own = { ...cleared, ...toRequestBody(specs, change) };
  const place = family === 'entreprise' ? { entreprise: own } : { csp: { [family]: own } };
  return {
    ...(change.name === undefined ? {} : { name: change.name }),
    ...(change.description === undefined ? {} : { description: change.description || null }),
    ...(change.tagIds === undefined ? {} : { tagIds: change.tagIds }),
    ...(specs.length ? place : {}),
  };
}
