import { spawn } from 'node:child_process';
import { access, chmod, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Log } from '../../../kernel/contracts/index.ts';
import { BUILTIN_FILE } from '../native/verb-client.ts';

const PRELUDE_FILE = 'svc.bash';
/** A bash that hangs during the check is not used. */
const TRIAL_MS = 5000;
const MAX_REASON_LENGTH = 1000;

interface InShellParts {
  /** The verb used for the check. */
  verb: string;
  log: Log;
}

/**
 * Lets bash answer `svc` inside the shell: the verb client as a loadable builtin, which starts no process. Where that
 * is not possible (no compiler, another shell, options that change how bash starts), scripts use the program and see no
 * difference but speed.
 */
export class InShell {
  readonly #parts: InShellParts;
  readonly #preludes = new Map<string, Promise<string | undefined>>();
  readonly #trials = new Map<string, Promise<boolean>>();

  constructor(parts: InShellParts) {
    this.#parts = parts;
  }

  /** Variables to add to the script's environment; none where the script uses the program. */
  async variables(
    client_folder: string,
    argv: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<Record<string, string>> {
    const file = join(client_folder, PRELUDE_FILE);
    if (!readsItsEnvironmentFile(argv, env, file)) return {};
    const prelude = await once(this.#preludes, client_folder, () => writePrelude(client_folder, file));
    if (prelude === undefined) return {};
    const bash = argv[0]!;
    const works = await once(this.#trials, `${bash}\0${prelude}`, () => this.#try(bash, client_folder, prelude));
    return works ? { BASH_ENV: prelude } : {};
  }

  /** Once for each bash: checks that its builtin answers a verb outside of a script run as the client does. */
  #try(bash: string, client_folder: string, prelude: string): Promise<boolean> {
    const { log, verb } = this.#parts;
    // Its input must not be a socket: bash would consider itself a remote login shell and read other files.
    const child = spawn(bash, ['-c', `builtin svc ${verb}`], {
      env: { PATH: client_folder, BASH_ENV: prelude },
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: TRIAL_MS,
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
            'bash cannot load the builtin svc; scripts use the program svc instead',
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

/** Bash reads this file before the script; nothing of it remains in the script's environment. */
async function writePrelude(client_folder: string, file: string): Promise<string | undefined> {
  const builtin = join(client_folder, BUILTIN_FILE);
  try {
    await access(builtin);
  } catch {
    // It was not compiled.
    return undefined;
  }
  const load = `[[ \${BASH_VERSINFO[0]} -ge 4 ]] && enable -f '${builtin}' svc`;
  await writeFile(file, `{ unset BASH_ENV; ${load} || :; } 2>/dev/null\n`);
  // For isolated programs and those of other users, whatever the umask.
  await chmod(file, 0o644);
  return file;
}

/**
 * Bash options without a value that do not change its startup. Excluded: `-i -l -p -r` (other startup files), `-c -s`
 * (the script is not a file), and `-v` (bash would print the startup file).
 */
const PLAIN_OPTIONS = /^[-+][abefhkmnuxBCEHT]+$/;
/** These variables change how bash starts. */
const CHANGING = new Set(['BASH_ENV', 'SHELLOPTS', 'BASHOPTS', 'POSIXLY_CORRECT', 'POSIX_PEDANTIC', 'BASH_COMPAT']);
/** Anything else in BASH_ENV might be expanded. */
export const PLAIN_PATH = /^\/[A-Za-z0-9/._,:@%+=-]+$/;

/** True when bash reads the file named by BASH_ENV in this form, and the variable is not used by the script. */
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
