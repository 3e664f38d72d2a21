// The instructions of the Containerfile.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './process.ts';

export interface Instruction {
  name: string;
  /** The rest of the instruction on one line. */
  value: string;
}

/** The stages, each beginning with its FROM. */
export function readStages(): Instruction[][] {
  const text = readFileSync(join(root, 'Containerfile'), 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\s*\\\n\s*/g, ' ');
  const instructions = [...text.matchAll(/^([A-Z]+) (.+)$/gm)].map(([, name = '', value = '']) => ({ name, value }));
  return instructions.reduce<Instruction[][]>((stages, instruction) => {
    if (instruction.name === 'FROM') stages.push([]);
    stages.at(-1)?.push(instruction);
    return stages;
  }, []);
}

export const valuesOf = (stage: Instruction[], name: string): string[] =>
  stage.filter((instruction) => instruction.name === name).map(({ value }) => value);

/** The command of the health check, as its program and arguments. */
export const healthCommand = (stage: Instruction[]): string[] =>
  JSON.parse(/CMD (\[.+)$/.exec(valuesOf(stage, 'HEALTHCHECK')[0] ?? '')?.[1] ?? '[]');
