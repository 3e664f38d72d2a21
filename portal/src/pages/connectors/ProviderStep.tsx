import { Box, Group, Radio, Select, SimpleGrid, Stack, Text } from '@mantine/core';
import { forms } from '@patchbay/client';
import { familyTitle } from '../../api/brand-names.ts';
import type { ConnectorDraft } from './connector-draft.ts';

const descriptions: Record<string, string> = {
  entreprise: 'An appliance at your site, on its own VLAN',
  providerAHostedConnection: 'A hosted connection of Provider A',
};
const descriptionOf = (family: string): string =>
  descriptions[family] ?? 'An on-ramp of this provider in one of its cities';

export function ProviderStep({
  draft,
  groups,
  onChange,
}: {
  draft: ConnectorDraft;
  groups: { id: string; name: string }[];
  onChange: (change: Partial<ConnectorDraft>) => void;
}) {
  return (
    <Stack>
      <Select
        label="Group"
        description="Only connectors of one group can be linked"
        data={groups.map(({ id, name }) => ({ value: id, label: name }))}
        value={draft.groupId || null}
        onChange={(groupId) => onChange({ groupId: groupId ?? '' })}
        searchable
        withAsterisk
        maw={420}
      />
      <Radio.Group
        label="Provider or site"
        value={draft.family}
        onChange={(family) => onChange({ family, endpointId: '' })}
        withAsterisk
      >
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} mt="xs">
          {Object.keys(forms).map((family) => (
            <Radio.Card key={family} value={family} p="md" aria-label={familyTitle(family)}>
              <Group wrap="nowrap" align="flex-start">
                <Radio.Indicator />
                <Box>
                  <Text fw={600}>{familyTitle(family)}</Text>
                  <Text size="sm" c="dimmed">
                    {descriptionOf(family)}
                  </Text>
                </Box>
              </Group>
            </Radio.Card>
          ))}
        </SimpleGrid>
      </Radio.Group>
    </Stack>
  );
}
