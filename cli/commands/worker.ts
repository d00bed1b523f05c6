import { readFile } from 'node:fs/promises';
import type { Run } from '../command.ts';
import { usageError } from '../errors.ts';
import { reasonOf } from '../input.ts';
import { storeCompiled, loadKernel } from '../prebuilt/prebuilt.mjs';
import { readAgentFlags } from './agent.ts';
import { limitMemory } from './start-garbage.ts';
import { createWorkerToken } from './worker-token.ts';
import { resolveWorkerFiles } from './worker-files.ts';

/** Functions wait for the network most of the time, so many share one process. */
const SLOTS = 100;

export const run: Run = async (invocation) => {
  const { args, flags, output, env } = invocation;
  const files = resolveWorkerFiles(args);
  const attached = flags.attach === true;
  if (attached === files.length > 0)
    throw usageError('a worker needs a file with workflows', 'svc worker orders.ts, or serve() in your own program');
  for (const file of files) await assertReadable(file);
  const { url, token: stored_token, token_file, caps } = await readAgentFlags(invocation);
  // A file is what the user means, whatever is in it.
  const created = token_file === undefined ? await createWorkerToken(invocation, stored_token, args) : undefined;
  const token = created?.token ?? stored_token;
  const { boot, Clock, runProcess } = await loadKernel('agent');
  const options = {
    role: 'agent' as const,
    env: {
      ...env,
      SVC_OWN_PROCESS: 'on',
      SVC_URL: url,
      SVC_AGENT_EXECUTORS: 'function',
      SVC_AGENT_SLOTS: String(flags.slots ?? SLOTS),
      // Functions run in the program of whoever starts the worker, and untrusted runs never reach it.
      SVC_AGENT_UNTRUSTED: 'refuse',
      SVC_AGENT_ALLOW_ROOT: 'on',
      ...(attached ? { SVC_WORKER_MAIN: String(flags.versionOf ?? '') } : { SVC_WORKER_FILES: files.join(':') }),
      ...(flags.reload === true && { SVC_WORKER_RELOAD: 'on' }),
      ...(token !== undefined && { SVC_TOKEN: token }),
      ...(flags.name !== undefined && { SVC_AGENT_NAME: String(flags.name) }),
      ...(caps.length > 0 && { SVC_AGENT_CAPS: caps.join(',') }),
    },
  };
  try {
    await runProcess(
      () => boot(options),
      (kernel) => {
        created?.renewUntilRevoked(kernel.use(Clock));
        output.note(`svc worker serves ${attached ? 'this program' : args.join(', ')} for ${url}; SIGTERM drains it`);
        storeCompiled();
        limitMemory(kernel.use(Clock));
      },
      (text) => output.note(text),
    );
  } finally {
    await created?.revoke();
  }
  return Number(process.exitCode ?? 0);
};

async function assertReadable(file: string): Promise<void> {
  try {
    await readFile(file);
  } catch (error) {
    throw usageError(`cannot read ${file}: ${reasonOf(error)}`, 'name a file that defines workflows');
  }
}
