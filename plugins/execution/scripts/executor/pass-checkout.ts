import { join } from 'node:path';
import type { Clock } from '../../../../kernel/contracts/index.ts';
import type { ActivityHost, Assignment } from '../../agents/contract.ts';
import { checkOut } from '../checkout/check-out.ts';
import { type CheckoutWork, describeCommit, type StartedProgram } from '../contract.ts';
import type { Sandbox } from '../isolation/sandbox.ts';
import type { SpawnedProcess, Spawner } from '../native/spawner.ts';
import { OutputRelay } from './output-relay.ts';
import type { PassProcess } from './pass-process.ts';
import { programLost } from './program-lost.ts';
import { startFailure } from './pass-result.ts';

export interface CheckoutContext {
  assignment: Assignment;
  host: ActivityHost;
  clock: Clock;
  /** The folder of the pass. */
  folder: string;
  spawner: Spawner;
  sandbox: Sandbox;
  process: PassProcess;
  env: Record<string, string>;
  find(program: string): Promise<string>;
  /** Whether the pass ends early; whatever git reports then does not matter. */
  isStopped(): boolean;
}

/**
 * Checks out the repository that a script names and returns its folder, in which the script starts. The folder is created
 * anew for every pass, like the process.
 */
export async function checkOutWorkspace(checkout: CheckoutWork, context: CheckoutContext): Promise<string> {
  const { assignment, host, folder, spawner, sandbox, env, find, isStopped } = context;
  const workspace = join(folder, 'work');
  await sandbox.createFolder(workspace);
  host.log('system', Buffer.from(`checking out ${describeCommit(checkout)}\n`));
  await checkOut(
    {
      folder,
      env,
      assignment,
      find,
      start: (program) => startGit(spawner.spawn(sandbox.toSpawnRequest(program)), context),
    },
    { checkout, workspace, onStart: () => undefined, isStopped },
  );
  return workspace;
}

function startGit(git: SpawnedProcess, { host, clock, sandbox, process, isStopped }: CheckoutContext): StartedProgram {
  process.track(git);
  if (isStopped()) git.kill('SIGKILL');
  const relay = new OutputRelay(git, host, clock);
  const ended = git.ended.then(async (process_end) => {
    const end = await sandbox.interpretEnd(process_end);
    relay.finish();
    if (isStopped()) return { exit_code: 0, signal: null, tail: '' };
    if (end.lost) throw programLost(end.error!);
    if (end.error !== undefined) throw startFailure(end.error, end.error_code);
    return { exit_code: end.exit_code, signal: end.signal, tail: relay.tail() };
  });
  return { ended, stop: () => git.kill('SIGTERM') };
}
