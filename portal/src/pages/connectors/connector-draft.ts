// A connector that is being made: what was chosen and typed so far, and the body that it makes.
import { forms } from '@patchbay/client';
import { type FieldSpec, type FormValues, toFieldSpec, toRequestBody } from '../../components/FormFields.tsx';

export interface ConnectorDraft {
  groupId: string;
  /** Of the provider, or `entreprise` for a site. */
  family: string;
  /** A destination of the provider, or the appliance of the site. */
  placeId: string;
  values: FormValues;
}

export const emptyDraft: ConnectorDraft = { groupId: '', family: '', placeId: '', values: {} };

export const nameFieldSpecs: FieldSpec[] = [
  { name: 'name', label: 'Name', isRequired: true, help: 'Unique among your connectors' },
  { name: 'description', label: 'Description', help: 'Filled in by the platform when left empty' },
  { name: 'tagIds', label: 'Tags', kind: 'tags' },
];

/** What the place decides is not asked again. */
export const parameterFieldSpecs = (family: string): FieldSpec[] => {
  const specs = (forms[family] ?? []).filter(({ name }) => name !== 'cloudApplianceID').map(toFieldSpec);
  // What must be given comes first.
  return specs.sort((a, b) => Number(b.isRequired) - Number(a.isRequired));
};

export function toCreateBody({ groupId, family, placeId, values }: ConnectorDraft): Record<string, unknown> {
  const own = toRequestBody(parameterFieldSpecs(family), values);
  const named = toRequestBody(nameFieldSpecs, values);
  const place =
    family === 'entreprise'
      ? { entreprise: { cloudApplianceID: placeId, ...own } }
      : { csp: { cloudDestinationID: placeId, [family]: own } };
  return { ...named, groupId, ...place };
}
