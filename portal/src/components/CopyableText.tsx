import { ActionIcon, CopyButton, Group, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';

export function CopyIconButton({ text, what }: { text: string; what: string }) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : `Copy ${what}`}>
          <ActionIcon variant="subtle" size="sm" onClick={copy} aria-label={copied ? 'Copied' : `Copy ${what}`}>
            {copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}

/** An identifier with a copy button. */
export function CopyableText({ text, what }: { text: string; what: string }) {
  return (
    <Group gap={4} wrap="nowrap">
      <span className="mono">{text}</span>
      <CopyIconButton text={text} what={what} />
    </Group>
  );
}
