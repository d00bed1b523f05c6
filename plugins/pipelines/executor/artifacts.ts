import { isServiceError } from '../../../kernel/contracts/index.ts';
import type { ActivityHost } from '../../agents/contract.ts';
import type { ProgramPlace, Verb } from '../../scripts/contract.ts';
import { PipelineErrors } from '../errors.ts';
import type { JobJournal } from './step-journal.ts';
import { ARTIFACT_PUT } from './step-verbs.ts';

export interface ArtifactParts {
  /** Relative to the workspace. */
  artifacts: readonly string[];
  verbs: ReadonlyMap<string, Verb>;
  journal: JobJournal;
  workspace: string;
  files: ActivityHost['files'];
  room: ProgramPlace['room'];
}

/** Stores what a job makes, as `svc artifact put` in a step does. Throws `artifact_failed`. */
export async function storeArtifacts({
  artifacts,
  verbs,
  journal,
  workspace,
  files,
  room,
}: ArtifactParts): Promise<void> {
  for (const path of artifacts) {
    const failed = (reason: string) => PipelineErrors.artifactFailed(`${JSON.stringify(path)}: ${reason}`);
    const verb = verbs.get(ARTIFACT_PUT);
    if (!verb) throw failed('this agent stores no artifacts');
    const unused = () => Promise.reject(new Error('storing an artifact runs no command and reads no input'));
    const call = { argv: [path, '--as', asOf(path)], cwd: workspace, stdin: unused, exec: unused };
    const { exit, message = '' } = await verb
      .run({ ...call, pass: journal.for(() => true), files, room })
      .catch((error: unknown) => {
        if (!isServiceError(error) || error.status >= 500) throw error;
        throw failed(error.message);
      });
    if (exit !== 0) throw failed(message);
  }
}

/** `./dist/` is stored as `dist`. */
const asOf = (path: string): string => path.replace(/^(\.\/)+/, '').replace(/\/+$/, '');
