// Failures on demand: which steps of which deployments fail, and how often, from one line of text.
import { fraction } from '../seeded-random.ts';

const steps = ['plan', 'apply', 'verify'] as const;
export type FaultStep = (typeof steps)[number];

export interface FaultRule {
  step: FaultStep;
  /** Of the deployments: which ones is drawn from the seed. */
  share: number;
  /** For each deployment; for ever without it. */
  times: number | undefined;
}

export const faultSyntax =
  'steps that fail, separated by commas: plan, apply or verify, with a share of the deployments where not all (verify:20%) and, of plan and apply, a number of times where not for ever (apply:100%:2)';

/** `apply:20%:3, verify`; undefined when it is not so. */
export function parseFaultRules(text: string): FaultRule[] | undefined {
  if (text.trim() === '') return [];
  const found = text.split(',').map((part): FaultRule | undefined => {
    const match = /^(plan|apply|verify)(?::(\d{1,3})%)?(?:(?<!^verify.*):([1-9]\d{0,5}))?$/.exec(part.trim());
    const share = Number(match?.[2] ?? 100);
    if (!match || share > 100) return undefined;
    return { step: match[1] as FaultStep, share: share / 100, times: match[3] ? Number(match[3]) : undefined };
  });
  return found.every((one) => one !== undefined) ? found : undefined;
}

/** Says each time whether it fails now. Times are counted by this process. */
export function createFaultInjector(failures: FaultRule[], seed: string): (step: FaultStep, id: string) => boolean {
  const counts = new Map<string, number>();
  return (step, id) =>
    failures.some((failing, index) => {
      if (failing.step !== step || fraction(seed, 'failure', String(index), id) >= failing.share) return false;
      const key = `${index} ${id}`;
      const count = (counts.get(key) ?? 0) + 1;
      if (failing.times !== undefined && count > failing.times) return false;
      counts.set(key, count);
      return true;
    });
}
