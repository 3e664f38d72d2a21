import { PasswordInput, Text } from '@mantine/core';
import { forms, type Schemas } from '@patchbay/client';
import { familyTitle } from '../../api/brand-names.ts';
import { type DescriptionItem, DescriptionList } from '../../components/DescriptionList.tsx';
import { fieldLabel } from '../../components/FormFields.tsx';
import { RouterLink } from '../../components/router-links.tsx';
import { familyOf, parametersOf } from './connector-form.ts';

function SecretValue({ value, name }: { value: unknown; name: string }) {
  if (!value) return <Text c="dimmed">Encrypted; visible to users who may change it</Text>;
  return (
    <PasswordInput
      aria-label={name}
      value={String(value)}
      readOnly
      variant="unstyled"
      visibilityToggleButtonProps={{ 'aria-label': `Show or hide: ${name}` }}
    />
  );
}

function renderValue(name: string, value: unknown, isSecret: boolean) {
  if (isSecret) return <SecretValue value={value} name={fieldLabel(name)} />;
  if (name === 'cloudApplianceID')
    return (
      <RouterLink to="/appliances/$applianceId" params={{ applianceId: String(value) }}>
        Appliance
      </RouterLink>
    );
  return value === null ? '–' : String(value);
}

/** The provider or site parameters, including those that the platform filled in. */
export function ConnectorParameters({ model }: { model: Schemas['ConnectorReadWriteModel'] }) {
  const read = model.read as Schemas['Connector.write'];
  const family = familyOf(read);
  const secrets = new Set(forms[family]?.filter(({ isSecret }) => isSecret).map(({ name }) => name));
  const items = Object.entries(parametersOf(read)).map(
    ([name, value]): DescriptionItem => [fieldLabel(name), renderValue(name, value, secrets.has(name))],
  );
  return <DescriptionList title={familyTitle(family)} items={items} />;
}
