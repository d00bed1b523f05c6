import { isServiceError } from '../../../../kernel/contracts/index.ts';
import type { ActivityHost } from '../../../execution/agents/contract.ts';
import type { ProgramHost, Verb } from '../../../execution/scripts/contract.ts';
import { PipelineErrors } from '../errors.ts';
import type { JobJournal } from './step-journal.ts';
import { ARTIFACT_PUT } from './step-verbs.ts';

export interface ArtifactDeps {
  /** Paths relative to the workspace. */
  artifacts: readonly string[];
  verbs: ReadonlyMap<string, Verb>;
  journal: JobJournal;
  workspace: string;
  files: ActivityHost['files'];
  room: ProgramHost['disk_view'];
}

/** Stores the artifacts of a job as `svc artifact put` does. Throws `artifact_failed`. */
export async function storeArtifacts({
  artifacts,
  verbs,
  journal,
  workspace,
  files,
  room,
}: ArtifactDeps): Promise<void> {
  for (const path of artifacts) {
    const toError = (reason: string) => PipelineErrors.artifactFailed(`${JSON.stringify(path)}: ${reason}`);
    const verb = verbs.get(ARTIFACT_PUT);
    if (!verb) throw toError('this agent stores no artifacts');
    const unused = () => Promise.reject(new Error('storing an artifact runs no command and reads no input'));
    const call = { argv: [path, '--as', artifactName(path)], cwd: workspace, stdin: unused, exec: unused };
    const { exit, message = '' } = await verb
      .run({ ...call, pass: journal.createPassJournal(() => true), files, disk_view: room })
      .catch((error: unknown) => {
        if (!isServiceError(error) || error.status >= 500) throw error;
        throw toError(error.message);
      });
    if (exit !== 0) throw toError(message);
  }
}

/** `./dist/` is stored as `dist`. */
const artifactName = (path: string): string => path.replace(/^(\.\/)+/, '').replace(/\/+$/, '');
