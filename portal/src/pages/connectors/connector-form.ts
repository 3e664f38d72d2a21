// A connector's write model as form values, and changed values as request body.
import { forms, type Schemas } from '@patchbay/client';
import { type FieldSpec, type FormValues, toFieldSpec, toRequestBody } from '../../components/FormFields.tsx';

type WriteModel = Schemas['Connector.write'];

/** The provider family, or `entreprise` for a site. */
export function familyOf({ csp, entreprise }: WriteModel): string {
  if (entreprise) return 'entreprise';
  const present = Object.entries(csp ?? {}).find(([name, value]) => name in forms && value !== null);
  return present?.[0] ?? '';
}

const immutableFields = new Set(['cloudApplianceID']);

export const familyFieldSpecs = (family: string): FieldSpec[] =>
  (forms[family] ?? [])
    .filter(({ name }) => !immutableFields.has(name))
    .map((field) => ({ ...toFieldSpec(field), isRequired: field.isRequired && !field.isSecret }));

/** Account numbers have twelve digits; on the wire they are numbers, without leading zeros. */
const restoreLeadingZeros = (name: string, value: unknown): unknown =>
  name === 'providerAAccount' && typeof value === 'number' ? String(value).padStart(12, '0') : value;

export function parametersOf(model: WriteModel): Record<string, unknown> {
  const family = familyOf(model);
  const own = family === 'entreprise' ? model.entreprise : (model.csp as Record<string, unknown> | null)?.[family];
  return Object.fromEntries(Object.entries(own ?? {}).map(([name, value]) => [name, restoreLeadingZeros(name, value)]));
}

export function toFormValues(model: WriteModel): FormValues {
  const own = Object.entries(parametersOf(model)).map(([name, value]) => [name, value === null ? '' : String(value)]);
  return {
    name: model.name,
    description: model.description ?? '',
    tagIds: model.tagIds ?? [],
    ...Object.fromEntries(own),
  };
}

/** The request body of a change; emptied fields become null. */
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
