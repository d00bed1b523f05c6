import { setTimeout as delay } from 'node:timers/promises';
import { type Client, CliError, Exit, type Output } from '../../../../cli/contract.ts';
import type { RunView } from '../explain/answers.ts';

/** Below the time after which proxies end a silent request. */
const WAIT_S = 30;
const RETRY_MS = 500;
const ENDED: readonly string[] = ['succeeded', 'failed', 'cancelled'];

export const hasEnded = ({ status }: Pick<RunView, 'status'>): boolean => ENDED.includes(status);

/** 0 or 1 by how a run ended. */
export const exitCodeOf = ({ status }: Pick<RunView, 'status'>): number =>
  status === 'succeeded' ? Exit.ok : Exit.failed;

/** The record of a run as soon as it is over. Waits for a server that is away. */
export async function waitForEnd(client: Client, run_id: string, output: Output): Promise<RunView> {
  const path = client.scoped(`/runs/${encodeURIComponent(run_id)}`);
  for (let told = false; ; ) {
    const asked = performance.now();
    try {
      const run = await client.json<RunView>({ path, query: { wait: `${WAIT_S}s` } });
      if (hasEnded(run)) return run;
      told = false;
    } catch (error) {
      if (!(error instanceof CliError) || !isTemporary(error)) throw error;
      if (!told) output.note(`${error.message}; waiting for it`);
      told = true;
    }
    // A server that stops answers early.
    if (performance.now() - asked < WAIT_S * 1000) await delay(RETRY_MS);
  }
}

const isTemporary = ({ exit, code }: CliError): boolean =>
  exit === Exit.unreachable || code === 'rate_limited' || code === 'http_504';
