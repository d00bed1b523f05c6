import type { Log } from '../../../../kernel/contracts/index.ts';
import type { ActivityHost, Assignment } from '../../agents/contract.ts';
import type { ScriptWork } from '../contract.ts';
import { type AgentEnvironment, agentPath, recordedVars, scriptEnvironment } from '../domain/environment.ts';
import { chooseInterpreter, findProgram } from '../domain/interpreter.ts';
import { parseBundle } from '../domain/bundled.ts';
import { passInput, sourceFileName } from '../domain/script-spec.ts';
import type { ShellBuiltin } from '../shell/in-shell.ts';
import type { RunUser } from '../users/run-users.ts';
import { findProgramAs } from '../users/find-as.ts';
import { userEnvironment } from '../users/user-sandbox.ts';
import { detectLanguage } from '../warm/language.ts';
import type { PreparedProcess } from '../warm/prepared-process.ts';
import type { WarmInterpreters, WarmPass } from '../warm/warm-interpreters.ts';
import { fillPassFolder } from './pass-folder.ts';

interface Work {
  spec: ScriptWork;
  assignment: Assignment;
  agent: ActivityHost['agent'];
  client_folder: string;
  /** The agent's own environment. */
  env: AgentEnvironment;
  /** Path of the Node.js that runs `.ts` and `.js`. */
  node: string;
  /** Undefined if scripts call the `svc` program. */
  in_shell: ShellBuiltin | undefined;
  log: Log;
  /** The user whose process it becomes; the agent's by default. */
  user: RunUser | undefined;
  /** Resolves at the end of the pass. */
  ended: Promise<unknown>;
}

/**
 * Returns a process that waits for this script, with the files of the pass in its folder, or undefined if there is
 * none. `own` receives the process before it is ready.
 */
export async function claimPreparedProcess(
  warm: WarmInterpreters,
  work: Work,
  onClaim: (process: PreparedProcess) => void,
): Promise<PreparedProcess | undefined> {
  const warm_pass = await toWarmPass(work);
  const kind = warm_pass && warm.classify(warm_pass);
  if (!kind) return undefined;
  const process = warm.claim(kind);
  warm.trackPass(kind, work.ended);
  if (!process) return undefined;
  onClaim(process);
  const { spec, assignment, log } = work;
  try {
    // Only a waiting process is certain not to look for the file before it is told to continue.
    const envelope = passInput(spec, assignment.envelope);
    const vars = recordedVars(assignment);
    if ((await process.ready) && (await fillPassFolder(process.folder, { spec, envelope, vars }))) return process;
  } catch (error) {
    log.warn(
      { reason: (error as Error).message },
      "the pass's files could not be moved to the folder of a prepared interpreter",
    );
  }
  await process.discard();
  return undefined;
}

/** Returns undefined if no interpreter is prepared for such a pass. */
async function toWarmPass({
  spec,
  assignment,
  agent,
  client_folder,
  env,
  node,
  in_shell,
  user,
}: Work): Promise<WarmPass | undefined> {
  // The options and arguments of a prepared process are fixed, and it may already have looked for included files.
  if (spec.files !== undefined) return undefined;
  if ((spec.args !== undefined && spec.args.length > 0) || parseBundle(spec.source)) return undefined;
  const { argv, name } = chooseInterpreter(spec.filename, spec.interpreter);
  const options = argv.slice(1);
  const language = detectLanguage(name, options);
  // A Node.js that somebody names is not the agent's own.
  if (language === undefined || (language === 'node' && spec.interpreter !== undefined)) return undefined;
  const findInterpreter = () =>
    user ? findProgramAs(user, name, agentPath(env), user.workdir) : findProgram(name, agentPath(env), agent.workdir);
  const program = language === 'node' ? node : await findInterpreter();
  if (program === undefined) return undefined;
  // Only variables that steer an interpreter matter here, nothing that differs from pass to pass.
  const location = { socket: '', input_file: '', client_folder, agent };
  const script_env = scriptEnvironment(assignment, env, location);
  const variables = user ? userEnvironment(script_env, user, env) : script_env;
  // A waiting bash waits in the builtin.
  const loads = language === 'bash' && (await in_shell?.variables(client_folder, [program, ...options], variables));
  if (language === 'bash' && !(loads && 'BASH_ENV' in loads)) return undefined;
  return { language, program, options, filename: sourceFileName(spec.filename), env: variables, user };
}
