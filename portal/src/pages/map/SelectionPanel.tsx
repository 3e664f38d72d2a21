// What was chosen on the map.
import { CloseButton, Group, List, Paper, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { bits, plural } from '../../components/format.ts';
import { RecordLink } from '../../components/router-links.tsx';
import { State, Status } from '../../components/StatusBadges.tsx';
import { type Load, loadWords } from '../../features/network/link-loads.ts';
import type { Connector, Link } from '../../features/network/network-queries.ts';
import type { Place } from './places.ts';

function Panel({
  title,
  about,
  onClose,
  children,
}: {
  title: string;
  about: string;
  onClose: () => void;
  children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  // Whoever chose something goes on reading here, and is back where they were when it is closed.
  useEffect(() => {
    const before = document.activeElement;
    heading.current?.focus();
    return () => {
      // Unless something else was gone to meanwhile.
      if (document.activeElement !== document.body) return;
      if (before instanceof HTMLElement || before instanceof SVGElement) before.focus();
    };
  }, []);
  return (
    <Paper component="section" aria-label={title}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Title order={2} ref={heading} tabIndex={-1} style={{ outline: 'none', overflowWrap: 'anywhere' }}>
          {title}
        </Title>
        <CloseButton aria-label="Close" onClick={onClose} />
      </Group>
      <Text size="sm" c="dimmed" mb="sm">
        {about}
      </Text>
      {children}
    </Paper>
  );
}

export function PlacePanel({
  place,
  links,
  connectorOf,
  onClose,
}: {
  place: Place;
  links: Link[];
  connectorOf: (id: string) => Connector | undefined;
  onClose: () => void;
}) {
  const here = new Set(place.connectors.map(({ id }) => id));
  const touching = links.filter(({ from, to }) => here.has(from) || here.has(to));
  return (
    <Panel title={place.city} about={`${place.region} · ${plural(here.size, 'connector')}`} onClose={onClose}>
      <List
        listStyleType="none"
        spacing="sm"
        mah={360}
        style={{ overflowY: 'auto' }}
        tabIndex={0}
        aria-label="Connectors"
      >
        {place.connectors.map(({ id, name, state, status, statusSince, bandwidth }) => (
          <List.Item key={id} style={{ overflowWrap: 'anywhere' }}>
            <RecordLink to="/connectors/$connectorId" params={{ connectorId: id }}>
              {name}
            </RecordLink>
            <Group gap="xs">
              <Status status={status} since={statusSince} />
              <State state={state} />
              <Text size="sm" c="dimmed">
                {bits(bandwidth)}
              </Text>
            </Group>
          </List.Item>
        ))}
      </List>
      {touching.length > 0 && (
        <Stack gap={4} mt="md">
          <Title order={3}>{plural(touching.length, 'link')}</Title>
          <List
            listStyleType="none"
            spacing={4}
            size="sm"
            mah={240}
            style={{ overflowY: 'auto' }}
            tabIndex={0}
            aria-label="Links"
          >
            {touching.map((link) => (
              <List.Item key={link.id} style={{ overflowWrap: 'anywhere' }}>
                <RecordLink to="/links/$linkId" params={{ linkId: link.id }} size="sm" underline="always">
                  {link.name}
                </RecordLink>{' '}
                <Text span size="sm" c="dimmed">
                  {connectorOf(link.from)?.name} – {connectorOf(link.to)?.name}, {link.state}
                </Text>
              </List.Item>
            ))}
          </List>
        </Stack>
      )}
    </Panel>
  );
}

export function LinkPanel({
  link,
  load,
  connectorOf,
  onClose,
}: {
  link: Link;
  load: Load | undefined;
  connectorOf: (id: string) => Connector | undefined;
  onClose: () => void;
}) {
  return (
    <Panel title={link.name} about={link.description ?? 'A link'} onClose={onClose}>
      <Stack gap="xs" align="flex-start">
        <State state={link.state} />
        {load && <Text size="sm">{loadWords(load)}</Text>}
        {[link.from, link.to].map((id, index) => (
          <Text size="sm" key={id}>
            {index === 0 ? 'From ' : 'To '}
            <RecordLink to="/connectors/$connectorId" params={{ connectorId: id }} size="sm" underline="always">
              {connectorOf(id)?.name ?? id}
            </RecordLink>
          </Text>
        ))}
        <RecordLink to="/links/$linkId" params={{ linkId: link.id }}>
          Open the link
        </RecordLink>
      </Stack>
    </Panel>
  );
}
