import { spawn } from 'node:child_process';
import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../../kernel/contracts/index.ts';
import { BUILTIN_FILE } from '../native/verb-client.ts';
import { readsItsEnvironmentFile } from './plain-bash.ts';

const PRELUDE_FILE = 'svc.bash';
/** A bash that hangs while it is tried is no bash for this. */
const TRIAL_MS = 5000;
const LONGEST_REASON = 1000;

export interface InShellParts {
  /** A verb, for the trial. */
  verb: string;
  log: Log;
}

/**
 * Lets bash answer `svc` itself: the verb client as a loadable builtin, which starts no process. Where it cannot be
 * had (no compiler, another shell, options that bash begins differently with) scripts have the program instead, and
 * see no difference but in time.
 */
export class InShell {
  readonly #parts: InShellParts;
  readonly #preludes = new Map<string, Promise<string | undefined>>();
  readonly #trials = new Map<string, Promise<boolean>>();

  constructor(parts: InShellParts) {
    this.#parts = parts;
  }

  /** What is to be added to the environment of a script; nothing where it has the program. */
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

  /** Once for each bash: has it the builtin answer a verb outside of a script run, as the client must. */
  #try(bash: string, client_folder: string, prelude: string): Promise<boolean> {
    const { log, verb } = this.#parts;
    // Not a socket as its input: bash would take itself for the shell of a login, and read other files.
    const child = spawn(bash, ['-c', `builtin svc ${verb}`], {
      env: { PATH: client_folder, BASH_ENV: prelude },
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: TRIAL_MS,
      killSignal: 'SIGKILL',
    });
    let reason = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      reason = (reason + text).slice(0, LONGEST_REASON);
    });
    return new Promise((resolve) => {
      child.on('error', () => resolve(false));
      child.on('close', (code) => {
        const works = code === 1 && reason.includes('SVC_AGENT_SOCKET');
        if (!works) log.info({ bash, reason: reason.trim() }, 'this bash cannot answer svc itself; it has the program');
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

/** What bash reads before the script, and forgets: nothing of it is in the script's environment. */
async function writePrelude(client_folder: string, file: string): Promise<string | undefined> {
  const builtin = join(client_folder, BUILTIN_FILE);
  try {
    await access(builtin);
  } catch {
    // It was not compiled.
    return undefined;
  }
  const load = `[[ \${BASH_VERSINFO[0]} -ge 4 ]] && enable -f '${builtin}' svc`;
  await writeFile(file, `{ unset BASH_ENV; ${load} || :; } 2>/dev/null\n`, { mode: 0o600 });
  return file;
}
