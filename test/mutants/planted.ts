import { existsSync, readFileSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parse } from 'yaml';

/** A small fault that is planted in a copy of the tree, to see whether the tests notice. */
export interface Mutant {
  /** Of the rule that the fault breaks. */
  breaks: string;
  /** What goes wrong, as a user would say it. */
  what: string;
  file: string;
  /** Stands in the file exactly once. */
  find: string;
  replace: string;
  /** Why nobody can tell the difference; such a mutant is not run. */
  equivalent?: string;
  /** Its number, from 1, in the order of the families and of their files. */
  nth: number;
  /** The file that plants it, without its ending. */
  family: string;
}

const FOLDER = join(import.meta.dirname, 'families');
const TEXTS = ['breaks', 'what', 'file', 'find', 'replace'] as const;
const KEYS: readonly string[] = [...TEXTS, 'equivalent'];

export async function readMutants(folder = FOLDER): Promise<Mutant[]> {
  const paths: string[] = [];
  for await (const path of glob('*.yaml', { cwd: folder })) paths.push(path);
  const mutants: Mutant[] = [];
  for (const path of paths.sort())
    for (const one of readFamily(path, await readFile(join(folder, path), 'utf8')))
      mutants.push({ ...one, nth: mutants.length + 1 });
  return mutants;
}

function readFamily(path: string, text: string): Omit<Mutant, 'nth'>[] {
  const list = parse(text) as unknown;
  if (!Array.isArray(list)) throw new Error(`${path} must be a list of mutants`);
  return list.map((one: Record<string, unknown>, index) => {
    const wrong = [
      ...TEXTS.filter((key) => typeof one[key] !== 'string'),
      ...Object.keys(one).filter((key) => !KEYS.includes(key)),
      ...(one.equivalent === undefined || typeof one.equivalent === 'string' ? [] : ['equivalent']),
    ];
    if (wrong.length > 0) throw new Error(`${path}, mutant ${index + 1}: ${wrong.join(', ')} is missing or not known`);
    return { ...(one as unknown as Omit<Mutant, 'nth' | 'family'>), family: basename(path, '.yaml') };
  });
}

/** The text of a file with the fault in it. `$` has no meaning in what replaces. */
export const planted = (text: string, { find, replace }: Mutant): string => text.replace(find, () => replace);

/** Why a mutant no longer fits the tree; undefined where it does. */
export function faultOf(mutant: Mutant, root = '.'): string | undefined {
  const { family, breaks, what, file, find, replace } = mutant;
  const name = `${family}.yaml, ${breaks} (${what})`;
  if (!existsSync(join(root, file))) return `${name}: there is no ${file}`;
  if (find === replace) return `${name}: it replaces the text by itself`;
  const count = readFileSync(join(root, file), 'utf8').split(find).length - 1;
  if (count === 1) return undefined;
  return `${name}: ${file} holds ${count === 0 ? 'no longer' : `${count} times`} what it replaces: ${JSON.stringify(find)}`;
}

export const areaOf = (rule: string): string => rule.split('-')[0] ?? '';
