import { readFile } from 'node:fs/promises';
import type { Run } from '../command.ts';
import { usageError } from '../errors.ts';
import { reasonOf } from '../input.ts';
import { readAgentFlags, runAgent } from './agent.ts';
import { createWorkerToken } from './worker-token.ts';
import { resolveWorkerFiles } from './worker-files.ts';

/** Functions wait for the network most of the time, so many share one process. */
const SLOTS = 100;

export const run: Run = async (invocation) => {
  const { args, flags, output } = invocation;
  const files = resolveWorkerFiles(args);
  const attached = flags.attach === true;
  if (attached === files.length > 0)
    throw usageError('a worker needs a file with workflows', 'svc worker orders.ts, or serve() in your own program');
  for (const file of files) await assertReadable(file);
  const { url, token: stored_token, token_file, caps } = await readAgentFlags(invocation);
  // A file is what the user means, whatever is in it.
  const created = token_file === undefined ? await createWorkerToken(invocation, stored_token, args) : undefined;
  const token = created?.token ?? stored_token;
  const settings = {
    SVC_URL: url,
    SVC_AGENT_EXECUTORS: 'function',
    SVC_AGENT_SLOTS: flags.slots ?? SLOTS,
    // Functions run in the program of whoever starts the worker, and untrusted runs never reach it.
    SVC_AGENT_UNTRUSTED: 'refuse',
    SVC_AGENT_ALLOW_ROOT: 'on',
    ...(attached ? { SVC_WORKER_MAIN: flags.versionOf ?? '' } : { SVC_WORKER_FILES: files.join(':') }),
    SVC_WORKER_RELOAD: flags.reload === true ? 'on' : undefined,
    SVC_TOKEN: token,
    SVC_AGENT_NAME: flags.name,
    SVC_AGENT_CAPS: caps.join(',') || undefined,
  };
  try {
    await runAgent(invocation, settings, (clock) => {
      created?.renewUntilRevoked(clock);
      output.note(`svc worker serves ${attached ? 'this program' : args.join(', ')} for ${url}; SIGTERM drains it`);
    });
  } finally {
    await created?.revoke();
  }
  return Number(process.exitCode ?? 0);
};

async function assertReadable(file: string): Promise<void> {
  try {
    await readFile(file);
  } catch (error) {
    throw usageError(`cannot read ${file}: ${reasonOf(error)}`, 'use a file that defines workflows');
  }
}
