// Nothing simulated passes as measured.
import { Tooltip } from '@mantine/core';
import states from '../../components/StatusBadges.module.css';

const known: Record<string, { word: string; tone: string; meaning: string }> = {
  simulated: { word: 'simulated', tone: 'poor', meaning: 'Made up by the simulator; nothing was measured' },
  lab: { word: 'measured: lab', tone: 'good', meaning: 'Measured in the lab on this machine' },
  written: { word: 'written', tone: 'busy', meaning: 'Written by an agent through the API' },
};

export function OriginBadge({ origin }: { origin: string }) {
  const { word, tone, meaning } = known[origin] ?? {
    word: origin,
    tone: 'good',
    meaning: `Measured; kept by the metric engine ${origin}`,
  };
  return (
    <Tooltip label={meaning}>
      <span className={states.badge} data-tone={tone}>
        {word}
      </span>
    </Tooltip>
  );
}

export const OriginBadges = ({ origins }: { origins: string[] }) =>
  [...new Set(origins)].map((origin) => <OriginBadge key={origin} origin={origin} />);
