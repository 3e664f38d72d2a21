import { PasswordInput, Text } from '@mantine/core';
import { forms, type Schemas } from '@patchbay/client';
import { familyTitle } from '../../api/brand-names.ts';
import { type Fact, Facts } from '../../components/DescriptionList.tsx';
import { titleOf } from '../../components/FormFields.tsx';
import { RecordLink } from '../../components/router-links.tsx';
import { familyOf, parametersOf } from './connector-form.ts';

function Secret({ value, name }: { value: unknown; name: string }) {
  if (!value) return <Text c="dimmed">Kept sealed; shown to those who may change it</Text>;
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

function shownAs(name: string, value: unknown, isSecret: boolean) {
  if (isSecret) return <Secret value={value} name={titleOf(name)} />;
  if (name === 'cloudApplianceID')
    return (
      <RecordLink to="/appliances/$applianceId" params={{ applianceId: String(value) }}>
        The appliance
      </RecordLink>
    );
  return value === null ? '–' : String(value);
}

/** The parameters of its provider or site, as they stand with what the platform filled in. */
export function Parameters({ model }: { model: Schemas['ConnectorReadWriteModel'] }) {
  const read = model.read as Schemas['Connector.write'];
  const family = familyOf(read);
  const secrets = new Set(forms[family]?.filter(({ isSecret }) => isSecret).map(({ name }) => name));
  const facts = Object.entries(parametersOf(read)).map(
    ([name, value]): Fact => [titleOf(name), shownAs(name, value, secrets.has(name))],
  );
  return <Facts title={familyTitle(family)} facts={facts} />;
}
