import { delimiter, join } from 'node:path';

/** Interpreters that can be prepared. */
export type Language = 'node' | 'python';

/** The language of a program that is called without options; undefined for others. */
export function languageOf(name: string, options: readonly string[]): Language | undefined {
  if (options.length > 0) return undefined;
  if (name === 'node') return 'node';
  return name === 'python3' ? 'python' : undefined;
}

/**
 * The variable that has an interpreter load what prepares it, from the folder `hooks`. Undefined where it cannot name that
 * folder.
 */
export function hookOf(language: Language, hooks: string): Record<string, string> | undefined {
  if (language === 'python') return hooks.includes(delimiter) ? undefined : { PYTHONPATH: join(hooks, 'python') };
  return /[\s"'\\]/.test(hooks) ? undefined : { NODE_OPTIONS: `--require=${join(hooks, 'prepare.cjs')}` };
}
