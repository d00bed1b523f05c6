import { delimiter, join } from 'node:path';
import { PLAIN_PATH } from '../shell/in-shell.ts';

/** The startup file of a bash that waits. */
export const BASH_HOOK = 'prepare.bash';

/** Interpreters that can be prepared. */
export type Language = 'node' | 'python' | 'bash';

/** The language of a program that is called with these options; undefined for others. */
export function languageOf(name: string, options: readonly string[]): Language | undefined {
  // As scripts of bash are run that name no interpreter.
  if (name === 'bash') return options.length === 1 && options[0] === '-eu' ? 'bash' : undefined;
  if (options.length > 0) return undefined;
  if (name === 'node') return 'node';
  return name === 'python3' ? 'python' : undefined;
}

/**
 * The variable that has an interpreter load what prepares it, from the folder `hooks`. Undefined where it cannot name that
 * folder.
 */
export function hookOf(language: Language, hooks: string): Record<string, string> | undefined {
  if (language === 'bash') return PLAIN_PATH.test(hooks) ? { BASH_ENV: join(hooks, BASH_HOOK) } : undefined;
  if (language === 'python') return hooks.includes(delimiter) ? undefined : { PYTHONPATH: join(hooks, 'python') };
  return /[\s"'\\]/.test(hooks) ? undefined : { NODE_OPTIONS: `--require=${join(hooks, 'prepare.cjs')}` };
}
