import { isServiceError } from '../../../../kernel/contracts/index.ts';
import type { ActivityHost } from '../../../execution/agents/contract.ts';
import type {
  ExecResult,
  ProgramHost,
  StartedProgram,
  Verb,
  VerbOutcome,
} from '../../../execution/scripts/contract.ts';
import { PassEnded } from '../../../execution/replay/contract.ts';
import { PipelineErrors } from '../errors.ts';
import type { JobJournal } from './step-journal.ts';
import { ARTIFACT_GET, ARTIFACT_PUT } from './step-verbs.ts';

/** What the executor needs to call a verb for a job, as its steps do. */
export interface JobVerbDeps {
  verbs: ReadonlyMap<string, Verb>;
  journal: JobJournal;
  workspace: string;
  files: ActivityHost['files'];
  place: ProgramHost;
  onStarted(program: StartedProgram): void;
  isStopped(): boolean;
}

/**
 * Calls a verb in the workspace. Programs of the job do what it has to write, so that nothing is written with the agent's
 * rights. Returns undefined if this agent has no such verb.
 */
export async function callVerb(
  { verbs, journal, workspace, files, place, onStarted, isStopped }: JobVerbDeps,
  name: string,
  argv: readonly string[],
): Promise<VerbOutcome | undefined> {
  const exec = async ([program = '', ...args]: readonly string[]): Promise<ExecResult> => {
    const command = [await place.find(program), ...args];
    if (isStopped()) throw new PassEnded();
    const started = place.start({ argv: command, env: place.environment({}), cwd: workspace });
    onStarted(started);
    const { exit_code, signal, tail } = await started.ended;
    const result = { stdout: Buffer.alloc(0), size: 0 };
    return exit_code === 0 ? { ...result, exit_code } : { ...result, exit_code: 1, error: tail || String(signal) };
  };
  const verb = verbs.get(name);
  if (!verb) return undefined;
  const stdin = () => Promise.reject(new Error(`svc ${name} reads no input`));
  const { createReadableFolder, disk_view } = place;
  const pass = journal.createPassJournal(() => true);
  return verb.run({ argv, cwd: workspace, stdin, exec, pass, files, disk_view, createReadableFolder });
}

/** Puts artifacts of the run into the workspace, at their paths, as `svc artifact get` does. Throws `artifact_missing`. */
export async function fetchArtifacts(deps: JobVerbDeps, paths: readonly string[]): Promise<void> {
  // With `./`, a path that looks like the ID of a run is a path.
  const options = { argvOf: (path: string) => ['--', `./${path}`], verb: ARTIFACT_GET };
  await callForEach(deps, paths, { ...options, missing: 'fetches', toError: PipelineErrors.artifactMissing });
}

interface PathCall {
  verb: string;
  argvOf(path: string): readonly string[];
  /** What an agent without the verb does not do. */
  missing: string;
  toError(reason: string): Error;
}

/** Calls a verb with each path; what it rejects becomes the error of the job. */
async function callForEach(
  deps: JobVerbDeps,
  paths: readonly string[],
  { verb, argvOf, missing, toError }: PathCall,
): Promise<void> {
  for (const path of paths) {
    const toPathError = (reason: string) => toError(`${JSON.stringify(path)}: ${reason}`);
    const outcome = await callVerb(deps, verb, argvOf(path)).catch((error: unknown) => {
      if (!isServiceError(error) || error.status >= 500 || error.code === 'lease_lost') throw error;
      throw toPathError(error.message);
    });
    if (!outcome) throw toPathError(`this agent ${missing} no artifacts`);
    if (outcome.exit !== 0) throw toPathError(outcome.message ?? '');
  }
}

/** Stores files of the workspace as artifacts, as `svc artifact put` does. Throws `artifact_failed`. */
export async function storeArtifacts(deps: JobVerbDeps, paths: readonly string[]): Promise<void> {
  const options = { argvOf: (path: string) => [`--as=${artifactName(path)}`, '--', path], verb: ARTIFACT_PUT };
  await callForEach(deps, paths, { ...options, missing: 'stores', toError: PipelineErrors.artifactFailed });
}

/** `./dist/` is stored as `dist`. */
const artifactName = (path: string): string => path.replace(/^(\.\/)+/, '').replace(/\/+$/, '');
