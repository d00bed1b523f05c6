import { delimiter, join } from 'node:path';
import { SAFE_PATH } from '../shell/in-shell.ts';

/** The startup file of a prepared bash. */
export const BASH_HOOK = 'prepare.bash';

/** Interpreters that can be prepared. */
export type Language = 'node' | 'python' | 'bash';

/** Returns the language of a program called with these options, or undefined when it cannot be prepared. */
export function detectLanguage(name: string, options: readonly string[]): Language | undefined {
  // Bash scripts that name no interpreter are run like this.
  if (name === 'bash') return options.length === 1 && options[0] === '-eu' ? 'bash' : undefined;
  if (options.length > 0) return undefined;
  if (name === 'node') return 'node';
  return name === 'python3' ? 'python' : undefined;
}

/**
 * Returns the variable that makes an interpreter load its hook from the folder `hooks`, or undefined when it cannot
 * name that folder.
 */
export function hookVariable(language: Language, hooks: string): Record<string, string> | undefined {
  if (language === 'bash') return SAFE_PATH.test(hooks) ? { BASH_ENV: join(hooks, BASH_HOOK) } : undefined;
  if (language === 'python') return hooks.includes(delimiter) ? undefined : { PYTHONPATH: join(hooks, 'python') };
  return /[\s"'\\]/.test(hooks) ? undefined : { NODE_OPTIONS: `--require=${join(hooks, 'prepare.cjs')}` };
}
