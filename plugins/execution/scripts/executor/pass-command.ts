import { basename, dirname } from 'node:path';
import type { ActivityHost, Assignment } from '../../agents/contract.ts';
import type { ScriptWork } from '../contract.ts';
import { parseBundle } from '../domain/bundled.ts';
import { type AgentEnvironment, agentPath, findEnvironmentProblem, scriptEnvironment } from '../domain/environment.ts';
import { chooseInterpreter } from '../domain/interpreter.ts';
import { sourceFileName } from '../domain/script-spec.ts';
import type { PathLabel } from '../domain/path-relabeler.ts';
import { interpreterMissing, scriptNotStarted } from '../errors.ts';
import type { Sandbox } from '../isolation/sandbox.ts';
import { goFiles } from './included-files.ts';

/** Returns the path of a program as the pass sees it. Throws `interpreter_missing`. */
export async function findProgramInPass(
  name: string,
  sandbox: Sandbox,
  { agent, env, what = '' }: { agent: ActivityHost['agent']; env: AgentEnvironment; what?: string },
): Promise<string> {
  const path = await sandbox.find(name, agentPath(env));
  if (path !== undefined) return path;
  throw interpreterMissing(`agent ${agent.name} (${agent.id}) has no ${what}${JSON.stringify(name)} on its PATH`);
}

/** Returns the interpreter of a script with its options. `node` is the Node.js that runs `.ts` and `.js`. */
export async function interpreterCommand(
  spec: ScriptWork,
  node: string,
  find: (name: string) => Promise<string>,
): Promise<string[]> {
  const { argv, name } = chooseInterpreter(spec.filename, spec.interpreter);
  const options = argv.slice(1);
  if (spec.interpreter !== undefined || name !== 'node') return [await find(name), ...options];
  // With source maps, errors name the files that the author wrote.
  return [node, ...(parseBundle(spec.source) ? ['--enable-source-maps'] : []), ...options];
}

/** Returns the arguments of the interpreter: the script, and for Go the other files of its package. */
export function scriptArguments(spec: ScriptWork, interpreter: readonly string[], source: string): string[] {
  const package_files = isGoRun(interpreter) ? goFiles(dirname(source), spec.files) : [];
  return [source, ...package_files, ...(spec.args ?? [])];
}

const isGoRun = ([program = '', ...options]: readonly string[]): boolean =>
  basename(program) === 'go' && options.length === 1 && options[0] === 'run';

/** Returns the environment of a pass. Throws `script_not_started` when the system would not accept it. */
export function passEnvironment(
  assignment: Assignment,
  env: AgentEnvironment,
  location: Parameters<typeof scriptEnvironment>[2],
): Record<string, string> {
  const variables = scriptEnvironment(assignment, env, location);
  const problem = findEnvironmentProblem(variables);
  if (problem !== undefined) throw scriptNotStarted(problem);
  return variables;
}

/**
 * Returns the paths that standard error must not show. The script runs from a copy, next to copies of the files that it
 * includes, and a bundle has another file extension than the script.
 */
export function hiddenNames({ filename, source: text }: ScriptWork, source: string): PathLabel[] {
  const bundle = parseBundle(text) ? [{ path: source, shown: sourceFileName(filename) }] : [];
  return [...bundle, { path: `${dirname(source)}/`, shown: '' }];
}
