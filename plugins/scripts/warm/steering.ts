import type { Language } from './language.ts';

/** Variables that a process reads when it starts, before it can be given others. */
const AT_THE_START =
  /^(?:LD_|MALLOC_|GLIBC_|GCONV_|ICU_|LC_|ASAN_|LSAN_|UBSAN_|TSAN_|SSL_CERT_|OPENSSL_)|^(?:HOME|LANG|LANGUAGE|LOCPATH|TZ|TZDIR)$/;
/** Of an interpreter and of what its machine has it load at the start: files `.pth` of Python. */
const OF: Record<Language, RegExp> = {
  node: /^(?:NODE_|UV_|V8_|WATCH_REPORT_)/,
  python: /^(?:PYTHON|__PYVENV|SETUPTOOLS_|COVERAGE_|COV_|DEBUGPY_|VIRTUAL_ENV|CONDA_)/,
  // Its shell variables, as its manual calls them, and names that it keeps but cannot assign to.
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
/** What differs from pass to pass. */
const OF_THE_PASS = /^(?:SVC_|CI_TRIGGER_)/;

type Environment = Readonly<Record<string, string>>;

/**
 * True when an interpreter that was started with the environment `prepared` and is then given `wanted` is as one that was
 * started with `wanted`. One that is a script itself (pyenv, asdf) may read any variable; of bash it would itself read what
 * prepares bash.
 */
export function startsAlike(
  { language, is_script }: { language: Language; is_script: boolean },
  prepared: Environment,
  wanted: Environment,
): boolean {
  if (is_script && language === 'bash') return false;
  const steers = is_script
    ? (name: string) => !OF_THE_PASS.test(name)
    : (name: string) => name === 'PATH' || AT_THE_START.test(name) || OF[language].test(name);
  const names = [...Object.keys(prepared), ...Object.keys(wanted)].filter(steers);
  return names.every((name) => prepared[name] === wanted[name]);
}
