import { type Client, Exit, type Output, waitUntil } from '../../../../cli/contract.ts';
import type { RunView } from '../explain/answers.ts';

const ENDED: readonly string[] = ['succeeded', 'failed', 'cancelled'];

export const hasEnded = ({ status }: Pick<RunView, 'status'>): boolean => ENDED.includes(status);

/** 0 or 1 by how a run ended. */
export const exitCodeOf = ({ status }: Pick<RunView, 'status'>): number =>
  status === 'succeeded' ? Exit.ok : Exit.failed;

/** The record of a run as soon as it is over. Waits for a server that is away. */
export const waitForEnd = (client: Client, run_id: string, output: Output): Promise<RunView> =>
  waitUntil<RunView>(client, client.scoped(`/runs/${encodeURIComponent(run_id)}`), hasEnded, output);
