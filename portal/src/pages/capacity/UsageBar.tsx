import classes from './UsageBar.module.css';

/** A bar of the used part. `text` is its accessible description. */
export function UsageBar({ part, whole, label, text }: { part: number; whole: number; label: string; text: string }) {
  const percent = whole > 0 ? Math.min(100, (part / whole) * 100) : 0;
  return (
    <div className={classes.bar} role="img" aria-label={`${label}: ${text}`}>
      <div className={classes.part} data-full={percent >= 90 || undefined} style={{ width: `${percent}%` }} />
    </div>
  );
}
