// Numbers as text.
const units = ['bps', 'kbps', 'Mbps', 'Gbps', 'Tbps'];

/** Bits per second: 1500000000 is "1.5 Gbps". */
export function formatBits(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  let rest = Math.abs(value);
  let unit = 0;
  while (rest >= 999.5 && unit < units.length - 1) {
    rest /= 1000;
    unit++;
  }
  const digits = rest >= 100 || Number.isInteger(rest) ? 0 : rest >= 10 ? 1 : 2;
  const text = rest.toFixed(digits);
  return `${value < 0 ? '−' : ''}${digits ? text.replace(/\.?0+$/, '') : text} ${units[unit]}`;
}

export const formatShare = (part: number, whole: number): string =>
  whole > 0 ? `${((part / whole) * 100).toFixed(part / whole < 0.1 ? 1 : 0)} %` : '–';

export const plural = (count: number, singular: string, pluralForm = `${singular}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? singular : pluralForm}`;
