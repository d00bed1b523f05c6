import { type Client, type Invocation, readWorkflow, type Run, usageError } from '../../../cli/contract.ts';
import { follow } from './follow.ts';

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

/** Ctrl-C cancels the run, which ends the log in order; a second one exits at once. */
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
  const { args, flags, output } = invocation;
  const body = await readWorkflow(args[0], invocation);
  const { client: api, stop } = await invocation.local();
  let release = () => {};
  try {
    const { run_id } = await api.json<{ run_id: string }>({ method: 'POST', path: api.scoped('/runs'), body });
    release = cancelOnInterrupt(api, run_id, output);
    await sendSignals(api, run_id, flags.signal as readonly string[]);
    return await follow(api, run_id, output);
  } finally {
    await stop();
    release();
  }
};
