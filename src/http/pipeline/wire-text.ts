// The JSON text of a response in wire names. A large response is built in slices: an appliance may have thousands of interfaces,
// and an organisation thousands of policies.
import { TimeSlices } from '../../concurrency/time-slices.ts';
import { measureWork } from '../../concurrency/work-account.ts';
import type { FieldNames } from '../request/field-names.ts';

const largeMembers = 50;
/** Lists of records, records with lists, and lists in those. */
const maxLevels = 3;

/** Whether the value holds many records. Lists of many ids are not divided. */
function isLarge(value: unknown, levels = maxLevels): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const members = Array.isArray(value) ? value : Object.values(value);
  if (members.length > largeMembers) return typeof members[0] === 'object';
  return levels > 1 && members.some((member) => isLarge(member, levels - 1));
}

class LargeText {
  readonly #fieldNames: FieldNames;
  readonly #slices = new TimeSlices();

  constructor(fieldNames: FieldNames) {
    this.#fieldNames = fieldNames;
  }

  async textOf(value: unknown): Promise<string> {
    if (!isLarge(value)) {
      if (this.#slices.isOver) await this.#slices.next();
      // In a list, JSON writes null for what it cannot represent.
      return JSON.stringify(this.#fieldNames.toWire(value)) ?? 'null';
    }
    const parts: string[] = [];
    if (Array.isArray(value)) {
      for (const item of value) parts.push(await this.textOf(item));
      return `[${parts.join(',')}]`;
    }
    for (const [key, member] of Object.entries(value as object)) parts.push(...(await this.#memberText(key, member)));
    return `{${parts.join(',')}}`;
  }

  /** A name and its value, or nothing where JSON leaves the member out. The name decides how its value is renamed. */
  async #memberText(key: string, member: unknown): Promise<string[]> {
    const isDivided = isLarge(member);
    if (this.#slices.isOver) await this.#slices.next();
    const text = JSON.stringify(this.#fieldNames.toWire({ [key]: isDivided ? 0 : member }));
    if (text === '{}') return [];
    return [isDivided ? `${text.slice(1, -2)}${await this.textOf(member)}` : text.slice(1, -1)];
  }
}

export const wireText = async (fieldNames: FieldNames, value: unknown): Promise<string> =>
  isLarge(value)
    ? new LargeText(fieldNames).textOf(value)
    : measureWork(() => JSON.stringify(fieldNames.toWire(value)));
