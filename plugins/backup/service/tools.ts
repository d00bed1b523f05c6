import { Clock, Ids, isServiceError, type LocalTool, type Resolve, Settings } from '../../../kernel/contracts/index.ts';
import { ArtifactContents } from '../../artifacts/contract.ts';
import { DatabaseCopies } from '../../database/contract.ts';
import { MasterKeys } from '../../vault/contract.ts';
import { BackupErrors } from '../errors.ts';
import { backupView, restoreView, verifyView } from './answers.ts';
import { writeBackup } from './backup.ts';
import { writeWhole } from './draft.ts';
import { Progress, type Teller } from './progress.ts';
import { restoreBackup, sourceOf, verifyBackup } from './restore.ts';

/** What the commands give to their tools beside arguments and flags. */
export interface BackupCall {
  teller: Teller;
  /** Aborted by Ctrl-C and SIGTERM. */
  signal: AbortSignal;
}

interface Given {
  args: readonly string[];
  flags: Readonly<Record<string, unknown>>;
  given?: unknown;
}

const partsOf = (use: Resolve) => ({
  copies: use(DatabaseCopies),
  contents: use(ArtifactContents),
  keys: use(MasterKeys),
  clock: use(Clock),
  version: use(Settings).version,
});

async function carryOut<T>(
  use: Resolve,
  { given }: Given,
  work: (tools: BackupCall & { progress: Progress }) => Promise<T>,
) {
  const { teller, signal } = given as BackupCall;
  const progress = new Progress(use(Clock), teller);
  try {
    return await work({ teller, signal, progress });
  } catch (error) {
    if (signal.aborted && !isServiceError(error))
      throw BackupErrors.interrupted('nothing is left of it', { cause: error });
    throw error;
  } finally {
    progress.end();
  }
}

export const backupTool: LocalTool = {
  name: 'backup',
  run: (use, call) =>
    carryOut(use, call, async ({ progress, signal }) => {
      const [file = ''] = call.args;
      const options = { artifacts: call.flags.artifacts === true, progress, signal };
      if (file === '-') return backupView(await writeBackup(partsOf(use), process.stdout, options), '-', undefined);
      let result: Awaited<ReturnType<typeof writeBackup>> | undefined;
      const written = await writeWhole(file, { ids: use(Ids), force: call.flags.force === true }, async (sink) => {
        result = await writeBackup(partsOf(use), sink, options);
      });
      return backupView(result!, written.path, written.bytes);
    }),
};

export const restoreTool: LocalTool = {
  name: 'restore',
  run: (use, call) =>
    carryOut(use, call, async ({ progress, signal, teller }) => {
      const [file = ''] = call.args;
      if (call.flags.verify === true) return verifyView(file, await verifyBackup(sourceOf(file), { progress, signal }));
      const left = (text: string) => teller.note(text);
      return restoreView(file, await restoreBackup(partsOf(use), sourceOf(file), { progress, signal, left }));
    }),
};
