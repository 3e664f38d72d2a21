// A connector that is being made: what was chosen and typed so far, and the body that it makes.
import { forms } from '@patchbay/client';
import { bodyOf, type Spec, specOf, type Values } from '../../components/FormFields.tsx';

export interface Draft {
  groupId: string;
  /** Of the provider, or `entreprise` for a site. */
  family: string;
  /** A destination of the provider, or the appliance of the site. */
  placeId: string;
  values: Values;
}

export const emptyDraft: Draft = { groupId: '', family: '', placeId: '', values: {} };

export const nameSpecs: Spec[] = [
  { name: 'name', label: 'Name', isRequired: true, help: 'Unique among your connectors' },
  { name: 'description', label: 'Description', help: 'Filled in by the platform when left empty' },
  { name: 'tagIds', label: 'Tags', kind: 'tags' },
];

/** What the place decides is not asked again. */
export const parameterSpecs = (family: string): Spec[] => {
  const specs = (forms[family] ?? []).filter(({ name }) => name !== 'cloudApplianceID').map(specOf);
  // What must be given comes first.
  return specs.sort((a, b) => Number(b.isRequired) - Number(a.isRequired));
};

export function requestOf({ groupId, family, placeId, values }: Draft): Record<string, unknown> {
  const own = bodyOf(parameterSpecs(family), values);
  const named = bodyOf(nameSpecs, values);
  const place =
    family === 'entreprise'
      ? { entreprise: { cloudApplianceID: placeId, ...own } }
      : { csp: { cloudDestinationID: placeId, [family]: own } };
  return { ...named, groupId, ...place };
}
