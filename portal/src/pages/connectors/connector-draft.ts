// The state of the new-connector wizard, and the request body that it produces.
import { forms } from '@patchbay/client';
import { type FieldSpec, type FormValues, toFieldSpec, toRequestBody } from '../../components/FormFields.tsx';

export interface ConnectorDraft {
  groupId: string;
  /** The provider family, or `entreprise` for a site. */
  family: string;
  /** The provider's destination, or the site's appliance. */
  endpointId: string;
  values: FormValues;
}

export const emptyDraft: ConnectorDraft = { groupId: '', family: '', endpointId: '', values: {} };

export const nameFieldSpecs: FieldSpec[] = [
  { name: 'name', label: 'Name', isRequired: true, help: 'Unique among your connectors' },
  { name: 'description', label: 'Description', help: 'Filled in by the platform when left empty' },
  { name: 'tagIds', label: 'Tags', kind: 'tags' },
];

export const parameterFieldSpecs = (family: string): FieldSpec[] => {
  const specs = (forms[family] ?? []).filter(({ name }) => name !== 'cloudApplianceID').map(toFieldSpec);
  // Required fields first.
  return specs.sort((a, b) => Number(b.isRequired) - Number(a.isRequired));
};

export function toCreateBody({ groupId, family, endpointId, values }: ConnectorDraft): Record<string, unknown> {
  const parameters = toRequestBody(parameterFieldSpecs(family), values);
  const common = toRequestBody(nameFieldSpecs, values);
  const endpoint =
    family === 'entreprise'
      ? { entreprise: { cloudApplianceID: endpointId, ...parameters } }
      : { csp: { cloudDestinationID: endpointId, [family]: parameters } };
  return { ...common, groupId, ...endpoint };
}
