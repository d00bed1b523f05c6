import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boot, type Kernel } from '../../../kernel/boot/index.ts';
import { Client } from '../../client/client.ts';
import { readProfileFile } from '../../client/profile.ts';
import { type Invocation, type Run, usageError } from '../../command.ts';
import { submission } from './document.ts';
import { follow } from './follow.ts';

/** Boots server and agent in memory, reachable through a socket in a private folder only. */
async function bootLocal(home: string, env: Invocation['env']): Promise<Kernel> {
  const settings = { home, database_url: 'sqlite::memory:', socket_path: join(home, 'http.sock') };
  return boot({ role: 'local', env: { SVC_LOG_LEVEL: 'error', ...env }, settings });
}

async function sendSignals(api: Client, run_id: string, signals: readonly string[]): Promise<void> {
  for (const signal of signals) {
    const at = signal.indexOf('=');
    const name = at < 0 ? signal : signal.slice(0, at);
    await api.json({
      method: 'POST',
      path: api.scoped(`/runs/${run_id}/signals/${encodeURIComponent(name)}`),
      body: at < 0 ? null : payload(name, signal.slice(at + 1)),
    });
  }
}

function payload(name: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw usageError(
      `the payload of --signal ${name} is not JSON: ${(error as Error).message}`,
      `write --signal ${name}='{"key":"value"}'`,
    );
  }
}

/** Ctrl-C cancels the run, which ends the following in order; a second one leaves at once. */
function cancelOnInterrupt(api: Client, run_id: string, output: Invocation['output']): () => void {
  let asked = false;
  const onSignal = () => {
    if (asked) process.exit(130);
    asked = true;
    const body = { reason: 'interrupted' };
    api
      .json({ method: 'POST', path: api.scoped(`/runs/${run_id}/cancel`), body })
      .catch((error: Error) => output.note(error.message));
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return () => process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
}

export const run: Run = async (invocation) => {
  const { args, flags, output, env } = invocation;
  const body = await submission(args[0]!, flags, invocation);
  const home = await mkdtemp(join(tmpdir(), 'svc-run-'));
  let kernel: Kernel | undefined;
  let release = () => {};
  try {
    kernel = await bootLocal(home, env);
    const api = new Client(await readProfileFile(join(home, 'profile.json')));
    const { run_id } = await api.json<{ run_id: string }>({ method: 'POST', path: api.scoped('/runs'), body });
    release = cancelOnInterrupt(api, run_id, output);
    await sendSignals(api, run_id, flags.signal as readonly string[]);
    return await follow(api, run_id, output);
  } finally {
    await kernel?.stop();
    await rm(home, { recursive: true, force: true });
    release();
  }
};
