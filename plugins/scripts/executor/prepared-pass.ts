import type { Log } from '../../../kernel/contracts/index.ts';
import type { ActivityHost, Assignment } from '../../agents/contract.ts';
import type { ScriptWork } from '../contract.ts';
import { type AgentEnvironment, agentPath, scriptEnvironment } from '../domain/environment.ts';
import { chooseInterpreter, findProgram } from '../domain/interpreter.ts';
import { bundleOf } from '../domain/bundled.ts';
import { inputOf, sourceFileName } from '../domain/script-spec.ts';
import type { InShell } from '../shell/in-shell.ts';
import type { RunUser } from '../users/run-users.ts';
import { findAs } from '../users/find-as.ts';
import { environmentOf } from '../users/user-ground.ts';
import { languageOf } from '../warm/language.ts';
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
  /** Runs `.ts` and `.js`. */
  node: string;
  /** Absent: scripts call the `svc` program. */
  in_shell: InShell | undefined;
  log: Log;
  /** Whose process it is to be; absent: the agent's. */
  user: RunUser | undefined;
  /** The end of the pass. */
  ended: Promise<unknown>;
}

/**
 * A process that waits for this script, with the files of the pass in its folder; undefined when there is none. `own` is
 * told of it before it is ready.
 */
export async function takePrepared(
  warm: WarmInterpreters,
  work: Work,
  own: (process: PreparedProcess) => void,
): Promise<PreparedProcess | undefined> {
  const pass = await warmPass(work);
  const kind = pass && warm.kindOf(pass);
  if (!kind) return undefined;
  const process = warm.take(kind);
  warm.use(kind, work.ended);
  if (!process) return undefined;
  own(process);
  const { spec, assignment, log } = work;
  try {
    // Only of one that waits is it certain that it does not find the file before it was told to go on.
    const envelope = inputOf(spec, assignment.envelope);
    if ((await process.ready) && (await fillPassFolder(process.folder, { spec, envelope }))) return process;
  } catch (error) {
    log.warn(
      { reason: (error as Error).message },
      'the folder of a prepared interpreter did not take the files of its pass',
    );
  }
  await process.discard();
  return undefined;
}

/** Undefined where no interpreter is prepared for such a pass. */
async function warmPass({
  spec,
  assignment,
  agent,
  client_folder,
  env,
  node,
  in_shell,
  user,
}: Work): Promise<WarmPass | undefined> {
  // Options and arguments of a prepared process are fixed, and it may have looked for what lies beside its script.
  if (spec.files !== undefined) return undefined;
  if ((spec.args !== undefined && spec.args.length > 0) || bundleOf(spec.source)) return undefined;
  const { argv, name } = chooseInterpreter(spec.filename, spec.interpreter);
  const options = argv.slice(1);
  const language = languageOf(name, options);
  // A Node that somebody names is not the agent's own.
  if (language === undefined || (language === 'node' && spec.interpreter !== undefined)) return undefined;
  const found = () =>
    user ? findAs(user, name, agentPath(env), user.workdir) : findProgram(name, agentPath(env), agent.workdir);
  const program = language === 'node' ? node : await found();
  if (program === undefined) return undefined;
  // Only what steers an interpreter matters here: nothing that differs from pass to pass.
  const place = { socket: '', input_file: '', client_folder, agent };
  const given = scriptEnvironment(assignment, env, place);
  const variables = user ? environmentOf(given, user, env) : given;
  // A bash that waits does so in the builtin.
  const loads = language === 'bash' && (await in_shell?.variables(client_folder, [program, ...options], variables));
  if (language === 'bash' && !(loads && 'BASH_ENV' in loads)) return undefined;
  return { language, program, options, filename: sourceFileName(spec.filename), env: variables, user };
}
