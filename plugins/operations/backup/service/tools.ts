import {
  Clock,
  Ids,
  isServiceError,
  type LocalTool,
  type Resolve,
  Settings,
} from '../../../../kernel/contracts/index.ts';
import { ArtifactContents } from '../../../execution/artifacts/contract.ts';
import { DatabaseCopies } from '../../../platform/database/contract.ts';
import { MasterKeys } from '../../../security/vault/contract.ts';
import { BackupErrors } from '../errors.ts';
import { backupView, restoreView, verifyView } from './views.ts';
import { writeBackup } from './backup.ts';
import { writeAtomically } from './draft.ts';
import { Progress, type ProgressReporter } from './progress.ts';
import { restoreBackup, openSource, verifyBackup } from './restore.ts';

/** What the commands pass to their tools, in addition to arguments and flags. */
export interface BackupCall {
  reporter: ProgressReporter;
  /** Aborted by Ctrl-C and SIGTERM. */
  signal: AbortSignal;
}

interface ToolCall {
  args: readonly string[];
  flags: Readonly<Record<string, unknown>>;
  input?: unknown;
}

const resolveDeps = (use: Resolve) => ({
  copies: use(DatabaseCopies),
  contents: use(ArtifactContents),
  keys: use(MasterKeys),
  clock: use(Clock),
  version: use(Settings).version,
});

async function runWithProgress<T>(
  use: Resolve,
  { input }: ToolCall,
  work: (tools: BackupCall & { progress: Progress }) => Promise<T>,
) {
  const { reporter, signal } = input as BackupCall;
  const progress = new Progress(use(Clock), reporter);
  try {
    return await work({ reporter, signal, progress });
  } catch (error) {
    if (signal.aborted && !isServiceError(error))
      throw BackupErrors.interrupted('it no longer exists', { cause: error });
    throw error;
  } finally {
    progress.end();
  }
}

export const backupTool: LocalTool = {
  name: 'backup',
  run: (use, call) =>
    runWithProgress(use, call, async ({ progress, signal }) => {
      const [file = ''] = call.args;
      const options = { artifacts: call.flags.artifacts === true, progress, signal };
      if (file === '-') return backupView(await writeBackup(resolveDeps(use), process.stdout, options), '-', undefined);
      let result: Awaited<ReturnType<typeof writeBackup>> | undefined;
      const written = await writeAtomically(file, { ids: use(Ids), force: call.flags.force === true }, async (sink) => {
        result = await writeBackup(resolveDeps(use), sink, options);
      });
      return backupView(result!, written.path, written.bytes);
    }),
};

export const restoreTool: LocalTool = {
  name: 'restore',
  run: (use, call) =>
    runWithProgress(use, call, async ({ progress, signal, reporter }) => {
      const [file = ''] = call.args;
      if (call.flags.verify === true)
        return verifyView(file, await verifyBackup(openSource(file), { progress, signal }));
      const onLeftover = (text: string) => reporter.note(text);
      return restoreView(
        file,
        await restoreBackup(resolveDeps(use), openSource(file), { progress, signal, onLeftover }),
      );
    }),
};
