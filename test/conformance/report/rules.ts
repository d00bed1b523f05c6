import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A rule of the specification that a scenario can show. */
export interface Rule {
  id: string;
  /** Says the same, so a scenario of it shows this one too. */
  same: string | undefined;
}

const RULE = /^@([A-Z]{2,}-\d{3})$/;

/** Undefined for a tag that is no rule's id. */
export const ruleOf = (tag: string): string | undefined => RULE.exec(tag)?.[1];

/** Those of features/rules.txt. */
export async function readRules(): Promise<Rule[]> {
  const path = join(import.meta.dirname, '../../../features/rules.txt');
  const lines = (await readFile(path, 'utf8')).trim().split('\n');
  return lines.map((line) => {
    const [id = '', same] = line.split(' ');
    return { id, same };
  });
}
