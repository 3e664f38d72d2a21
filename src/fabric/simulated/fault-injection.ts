// Fault injection for the simulated fabric: one line of text says which steps of which deployments fail, and how often.
import { fraction } from '../deterministic-hash.ts';

export type FaultStep = 'plan' | 'apply' | 'verify';

export interface FaultRule {
  step: FaultStep;
  /** Share of the deployments that fail, from 0 to 1; the seed decides which ones. */
  share: number;
  /** Failures for each deployment; without a value it always fails. */
  times: number | undefined;
}

export const faultSyntax =
  'steps that fail, separated by commas: plan, apply or verify, with a share of the deployments where not all ' +
  '(verify:20%) and, of plan and apply, a number of times where not for ever (apply:100%:2)';

/** Parses `apply:20%:3, verify`; undefined when the syntax is wrong. */
export function parseFaultRules(text: string): FaultRule[] | undefined {
  if (text.trim() === '') return [];
  const rules = text.split(',').map((part): FaultRule | undefined => {
    const match = /^(plan|apply|verify)(?::(\d{1,3})%)?(?:(?<!^verify.*):([1-9]\d{0,5}))?$/.exec(part.trim());
    const share = Number(match?.[2] ?? 100);
    if (!match || share > 100) return undefined;
    return { step: match[1] as FaultStep, share: share / 100, times: match[3] ? Number(match[3]) : undefined };
  });
  return rules.every((rule) => rule !== undefined) ? rules : undefined;
}

/** Returns a function that decides for each attempt whether it fails. This process counts the attempts. */
export function createFaultInjector(rules: FaultRule[], seed: string): (step: FaultStep, id: string) => boolean {
  const counts = new Map<string, number>();
  return (step, id) =>
    rules.some((rule, index) => {
      if (rule.step !== step || fraction(seed, 'failure', String(index), id) >= rule.share) return false;
      const key = `${index} ${id}`;
      const count = (counts.get(key) ?? 0) + 1;
      if (rule.times !== undefined && count > rule.times) return false;
      counts.set(key, count);
      return true;
    });
}
