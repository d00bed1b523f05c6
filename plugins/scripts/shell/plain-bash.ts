import { basename } from 'node:path';

/**
 * Options of bash that take no value and change nothing about how it begins. Left out are `-i -l -p -r` (bash then
 * reads other files, or none), `-c -s` (the script is no file), and `-v` (bash would print what it reads first).
 */
const PLAIN_OPTIONS = /^[-+][abefhkmnuxBCEHT]+$/;
/** With these bash begins in another way. */
const CHANGING = new Set(['BASH_ENV', 'SHELLOPTS', 'BASHOPTS', 'POSIXLY_CORRECT', 'POSIX_PEDANTIC', 'BASH_COMPAT']);
/** In a value of BASH_ENV anything else might be expanded. */
const PLAIN_PATH = /^\/[A-Za-z0-9/._,:@%+=-]+$/;

/** Does bash begin like this with the file that BASH_ENV names, and is that variable ours to set? */
export function readsItsEnvironmentFile(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  file: string,
): boolean {
  const [program = '', ...options] = argv;
  return (
    basename(program) === 'bash' &&
    options.every((option) => PLAIN_OPTIONS.test(option)) &&
    PLAIN_PATH.test(file) &&
    !Object.keys(env).some((name) => CHANGING.has(name) || name.startsWith('BASH_FUNC_'))
  );
}
