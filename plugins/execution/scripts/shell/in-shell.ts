import { spawn } from 'node:child_process';
import { access, chmod, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Log } from '../../../../kernel/contracts/index.ts';
import { BUILTIN_FILE } from '../native/verb-client.ts';

const PRELUDE_FILE = 'svc.bash';
/** A bash that does not finish the check in this time is not used. */
const CHECK_TIMEOUT_MS = 5000;
const MAX_REASON_LENGTH = 1000;

interface InShellDeps {
  /** The verb that the check calls. */
  verb: string;
  log: Log;
}

/**
 * Lets bash run `svc` inside the shell, without starting a process: the verb client is loaded as a builtin. Where
 * that is not possible (no compiler, another shell, options that change how bash starts), scripts use the program
 * instead, which is slower and otherwise the same.
 */
export class ShellBuiltin {
  readonly #deps: InShellDeps;
  readonly #preludes = new Map<string, Promise<string | undefined>>();
  readonly #trials = new Map<string, Promise<boolean>>();

  constructor(deps: InShellDeps) {
    this.#deps = deps;
  }

  /** Returns the variables to add to the script's environment; none where the script uses the program. */
  async variables(
    client_folder: string,
    argv: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<Record<string, string>> {
    const file = join(client_folder, PRELUDE_FILE);
    if (!readsEnvironmentFile(argv, env, file)) return {};
    const prelude = await once(this.#preludes, client_folder, () => writePrelude(client_folder, file));
    if (prelude === undefined) return {};
    const bash = argv[0]!;
    const works = await once(this.#trials, `${bash}\0${prelude}`, () =>
      this.#checkBuiltin(bash, client_folder, prelude),
    );
    return works ? { BASH_ENV: prelude } : {};
  }

  /** Checks, once for each bash, that its builtin rejects a verb outside of a script run as the client does. */
  #checkBuiltin(bash: string, client_folder: string, prelude: string): Promise<boolean> {
    const { log, verb } = this.#deps;
    // The child's input must not be a socket: bash would take itself for a remote login shell and read other files.
    const child = spawn(bash, ['-c', `builtin svc ${verb}`], {
      env: { PATH: client_folder, BASH_ENV: prelude },
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: CHECK_TIMEOUT_MS,
      killSignal: 'SIGKILL',
    });
    let reason = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      reason = (reason + text).slice(0, MAX_REASON_LENGTH);
    });
    return new Promise((resolve) => {
      child.on('error', () => resolve(false));
      child.on('close', (code) => {
        const works = code === 1 && reason.includes('SVC_AGENT_SOCKET');
        if (!works)
          log.info(
            { bash, reason: reason.trim() },
            'bash cannot load the svc builtin; scripts use the svc program instead',
          );
        resolve(works);
      });
    });
  }
}

function once<T>(known: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const found = known.get(key) ?? make();
  known.set(key, found);
  return found;
}

/** Writes the file that bash reads before the script. Nothing of it remains in the script's environment. */
async function writePrelude(client_folder: string, file: string): Promise<string | undefined> {
  const builtin = join(client_folder, BUILTIN_FILE);
  try {
    await access(builtin);
  } catch {
    // The builtin was not compiled.
    return undefined;
  }
  const load = `[[ \${BASH_VERSINFO[0]} -ge 4 ]] && enable -f '${builtin}' svc`;
  await writeFile(file, `{ unset BASH_ENV; ${load} || :; } 2>/dev/null\n`);
  // Isolated programs and those of other users must be able to read the file, whatever the umask.
  await chmod(file, 0o644);
  return file;
}

/**
 * Bash options that take no value and do not change how bash starts. Excluded are `-i -l -p -r` (other startup
 * files), `-c -s` (the script is not a file) and `-v` (bash would print the startup file).
 */
const SAFE_OPTIONS = /^[-+][abefhkmnuxBCEHT]+$/;
/** Variables that change how bash starts. */
const STARTUP_VARIABLES = new Set([
  'BASH_ENV',
  'SHELLOPTS',
  'BASHOPTS',
  'POSIXLY_CORRECT',
  'POSIX_PEDANTIC',
  'BASH_COMPAT',
]);
/** The only form of path in BASH_ENV that bash cannot expand. */
export const SAFE_PATH = /^\/[A-Za-z0-9/._,:@%+=-]+$/;

/**
 * Returns true when bash, started like this, reads the file named by BASH_ENV and the script does not use that
 * variable itself.
 */
export function readsEnvironmentFile(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  file: string,
): boolean {
  const [program = '', ...options] = argv;
  return (
    basename(program) === 'bash' &&
    options.every((option) => SAFE_OPTIONS.test(option)) &&
    SAFE_PATH.test(file) &&
    !Object.keys(env).some((name) => STARTUP_VARIABLES.has(name) || name.startsWith('BASH_FUNC_'))
  );
}
