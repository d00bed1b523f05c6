import type { Language } from './language.ts';

/** Variables that any process reads when it starts, before it can be given others. */
const STARTUP_VARIABLES =
  /^(?:LD_|MALLOC_|GLIBC_|GCONV_|ICU_|LC_|ASAN_|LSAN_|UBSAN_|TSAN_|SSL_CERT_|OPENSSL_)|^(?:HOME|LANG|LANGUAGE|LOCPATH|TZ|TZDIR)$/;
/** Variables that an interpreter reads, or that the `.pth` files of a Python installation read. */
const LANGUAGE_VARIABLES: Record<Language, RegExp> = {
  node: /^(?:NODE_|UV_|V8_|WATCH_REPORT_)/,
  python: /^(?:PYTHON|__PYVENV|SETUPTOOLS_|COVERAGE_|COV_|DEBUGPY_|VIRTUAL_ENV|CONDA_)/,
  // These are the shell variables of the manual, and names that bash keeps but cannot assign to.
  bash: new RegExp(
    [
      '^(?:BASH|HIST|COMP_|READLINE_|PROMPT_|PS\\d|SSH2?_CLIENT|TEXTDOMAIN)',
      '^(?:PWD|OLDPWD|SHLVL|SHELL|SHELLOPTS|IFS|UID|EUID|PPID|GROUPS|DIRSTACK|PIPESTATUS|FUNCNAME|FUNCNEST|LINENO|_)$',
      '^(?:S?RANDOM|SECONDS|EPOCH(?:SECONDS|REALTIME)|REPLY|MAPFILE|COPROC|CDPATH|CHILD_MAX|COLUMNS|LINES|OPTARG)$',
      '^(?:OPTIND|OPTERR|EXECIGNORE|FCEDIT|FIGNORE|GLOBIGNORE|GLOBSORT|HOSTFILE|HOSTNAME|HOSTTYPE|OSTYPE|MACHTYPE)$',
      '^(?:MAIL|MAILCHECK|MAILPATH|IGNOREEOF|ignoreeof|auto_resume|histchars|INPUTRC|EMACS|INSIDE_EMACS|TIMEFORMAT)$',
      '^(?:TMOUT|TERM|TERMCAP|TERMINFO|POSIXLY_CORRECT|POSIX_PEDANTIC)$',
      '^(?![A-Za-z_][A-Za-z0-9_]*$)',
    ].join('|'),
  ),
};
/** Variables that differ from pass to pass. */
const PASS_VARIABLES = /^(?:SVC_|CI_TRIGGER_)/;

type Environment = Readonly<Record<string, string>>;

/**
 * Returns true when an interpreter started with the environment `prepared` and then given `wanted` behaves like one
 * started with `wanted`. An interpreter that is a script itself (pyenv, asdf) may read any variable, and a bash
 * script would itself read the hook that prepares bash.
 */
export function isStartEquivalent(
  { language, is_script }: { language: Language; is_script: boolean },
  prepared: Environment,
  requested: Environment,
): boolean {
  if (is_script && language === 'bash') return false;
  const steers = is_script
    ? (name: string) => !PASS_VARIABLES.test(name)
    : (name: string) => name === 'PATH' || STARTUP_VARIABLES.test(name) || LANGUAGE_VARIABLES[language].test(name);
  const names = [...Object.keys(prepared), ...Object.keys(requested)].filter(steers);
  return names.every((name) => prepared[name] === requested[name]);
}
