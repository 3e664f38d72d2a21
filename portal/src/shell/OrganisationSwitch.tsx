import { Button, Menu, ScrollArea, Text, TextInput } from '@mantine/core';
import { IconBuilding, IconCheck, IconChevronDown } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useOrganisations } from '../api/organisations.ts';

const minChildrenForSearch = 8;

/** Lets resellers act for a child organisation. */
export function OrganisationSwitch() {
  const { own, children, acting } = useOrganisations();
  const [text, setText] = useState('');
  const navigate = useNavigate();
  if (!own) return null;
  // To the overview: the current record does not exist in the other organisation.
  const go = (id: string | undefined) => void navigate({ to: '/', search: { for: id } as never });
  const shown = children.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()));
  const title = acting?.name ?? own.name;
  if (children.length === 0)
    return (
      <Button
        variant="subtle"
        color="gray"
        component="span"
        leftSection={<IconBuilding size={16} aria-hidden />}
        maw={240}
        visibleFrom="sm"
        style={{ pointerEvents: 'none' }}
        c="var(--ink)"
      >
        {own.name}
      </Button>
    );
  return (
    <Menu position="bottom-start" width={280}>
      <Menu.Target>
        <Button
          variant="default"
          maw={260}
          px="sm"
          flex="none"
          leftSection={<IconBuilding size={16} aria-hidden />}
          rightSection={<IconChevronDown size={16} aria-hidden />}
          aria-label={`Organisation: ${title}`}
        >
          <Text span inherit truncate visibleFrom="sm">
            {title}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {children.length >= minChildrenForSearch && (
          <TextInput
            m="xs"
            placeholder="Find a child"
            aria-label="Find a child"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        )}
        <Menu.Item onClick={() => go(undefined)} rightSection={acting ? null : <IconCheck size={16} aria-hidden />}>
          {own.name}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label c="var(--quiet)">Act for a child</Menu.Label>
        <ScrollArea.Autosize mah={320}>
          {shown.map(({ id, name }) => (
            <Menu.Item
              key={id}
              onClick={() => go(id)}
              rightSection={acting?.id === id ? <IconCheck size={16} aria-hidden /> : null}
            >
              {name}
            </Menu.Item>
          ))}
        </ScrollArea.Autosize>
      </Menu.Dropdown>
    </Menu>
  );
}
