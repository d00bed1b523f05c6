import type { Language } from './language.ts';

/** Variables that a process reads when it starts, before it can be given others. */
const AT_THE_START =
  /^(?:LD_|MALLOC_|GLIBC_|GCONV_|ICU_|LC_|ASAN_|LSAN_|UBSAN_|TSAN_|SSL_CERT_|OPENSSL_)|^(?:HOME|LANG|LANGUAGE|LOCPATH|TZ|TZDIR)$/;
/** Of an interpreter and of what its machine has it load at the start: files `.pth` of Python. */
const OF: Record<Language, RegExp> = {
  node: /^(?:NODE_|UV_|V8_|WATCH_REPORT_)/,
  python: /^(?:PYTHON|__PYVENV|SETUPTOOLS_|COVERAGE_|COV_|DEBUGPY_|VIRTUAL_ENV|CONDA_)/,
};
/** What differs from pass to pass. */
const OF_THE_PASS = /^(?:SVC_|CI_TRIGGER_)/;

type Environment = Readonly<Record<string, string>>;

/**
 * True when an interpreter that was started with the environment `prepared` and is then given `wanted` is as one that was
 * started with `wanted`. One that is a script itself (pyenv, asdf) may read any variable.
 */
export function startsAlike(
  { language, is_script }: { language: Language; is_script: boolean },
  prepared: Environment,
  wanted: Environment,
): boolean {
  const steers = is_script
    ? (name: string) => !OF_THE_PASS.test(name)
    : (name: string) => name === 'PATH' || AT_THE_START.test(name) || OF[language].test(name);
  const names = [...Object.keys(prepared), ...Object.keys(wanted)].filter(steers);
  return names.every((name) => prepared[name] === wanted[name]);
}
