// Details of the selected place or link.
import { CloseButton, Group, List, Paper, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { formatBits, plural } from '../../components/format.ts';
import { RouterLink } from '../../components/router-links.tsx';
import { StateBadge, StatusBadge } from '../../components/StatusBadges.tsx';
import { formatLoad, type LinkLoad } from '../../features/network/link-loads.ts';
import type { Connector, Link } from '../../features/network/network-queries.ts';
import type { Place } from './places.ts';

function Panel({
  title,
  description,
  onClose,
  children,
}: {
  title: string;
  description: string;
  onClose: () => void;
  children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  // Moves the focus here, and back when the panel closes.
  useEffect(() => {
    const before = document.activeElement;
    heading.current?.focus();
    return () => {
      // The user moved the focus elsewhere.
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
        {description}
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
  const localIds = new Set(place.connectors.map(({ id }) => id));
  const localLinks = links.filter(({ from, to }) => localIds.has(from) || localIds.has(to));
  return (
    <Panel title={place.city} description={`${place.region} · ${plural(localIds.size, 'connector')}`} onClose={onClose}>
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
            <RouterLink to="/connectors/$connectorId" params={{ connectorId: id }}>
              {name}
            </RouterLink>
            <Group gap="xs">
              <StatusBadge status={status} since={statusSince} />
              <StateBadge state={state} />
              <Text size="sm" c="dimmed">
                {formatBits(bandwidth)}
              </Text>
            </Group>
          </List.Item>
        ))}
      </List>
      {localLinks.length > 0 && (
        <Stack gap={4} mt="md">
          <Title order={3}>{plural(localLinks.length, 'link')}</Title>
          <List
            listStyleType="none"
            spacing={4}
            size="sm"
            mah={240}
            style={{ overflowY: 'auto' }}
            tabIndex={0}
            aria-label="Links"
          >
            {localLinks.map((link) => (
              <List.Item key={link.id} style={{ overflowWrap: 'anywhere' }}>
                <RouterLink to="/links/$linkId" params={{ linkId: link.id }} size="sm" underline="always">
                  {link.name}
                </RouterLink>{' '}
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
  load: LinkLoad | undefined;
  connectorOf: (id: string) => Connector | undefined;
  onClose: () => void;
}) {
  return (
    <Panel title={link.name} description={link.description ?? 'Link'} onClose={onClose}>
      <Stack gap="xs" align="flex-start">
        <StateBadge state={link.state} />
        {load && <Text size="sm">{formatLoad(load)}</Text>}
        {[link.from, link.to].map((id, index) => (
          <Text size="sm" key={id}>
            {index === 0 ? 'From ' : 'To '}
            <RouterLink to="/connectors/$connectorId" params={{ connectorId: id }} size="sm" underline="always">
              {connectorOf(id)?.name ?? id}
            </RouterLink>
          </Text>
        ))}
        <RouterLink to="/links/$linkId" params={{ linkId: link.id }}>
          Open the link
        </RouterLink>
      </Stack>
    </Panel>
  );
}
