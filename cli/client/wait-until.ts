import { setTimeout as delay } from 'node:timers/promises';
import { CliError, Exit } from '../errors.ts';
import type { Output } from '../output/output.ts';
import type { Client } from './client.ts';

/** Below the time after which proxies end a silent request. */
const WAIT_S = 30;
const RETRY_MS = 500;

/** Reads a record that takes `?wait=` until it has ended. Waits for a server that is away. */
export async function waitUntil<T>(
  client: Pick<Client, 'json'>,
  path: string,
  hasEnded: (record: T) => boolean,
  output: Pick<Output, 'note'>,
): Promise<T> {
  for (let reported = false; ; ) {
    const sent_at = performance.now();
    try {
      const record = await client.json<T>({ path, query: { wait: `${WAIT_S}s` } });
      if (hasEnded(record)) return record;
      reported = false;
    } catch (error) {
      if (!(error instanceof CliError) || !isTemporary(error)) throw error;
      if (!reported) output.note(`${error.message}; waiting for it`);
      reported = true;
    }
    // A server that stops answers early.
    if (performance.now() - sent_at < WAIT_S * 1000) await delay(RETRY_MS);
  }
}

const isTemporary = ({ exit, code }: CliError): boolean =>
  exit === Exit.unreachable || code === 'rate_limited' || code === 'http_504';
