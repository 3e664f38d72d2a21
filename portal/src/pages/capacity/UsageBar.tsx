import classes from './UsageBar.module.css';

/** How much of something is taken. What it shows stands beside it in words, too. */
export function UsageBar({ part, whole, label, words }: { part: number; whole: number; label: string; words: string }) {
  const percent = whole > 0 ? Math.min(100, (part / whole) * 100) : 0;
  return (
    <div className={classes.bar} role="img" aria-label={`${label}: ${words}`}>
      <div className={classes.part} data-full={percent >= 90 || undefined} style={{ width: `${percent}%` }} />
    </div>
  );
}
