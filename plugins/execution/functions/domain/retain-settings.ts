import { parseDuration } from '../../../../kernel/contracts/index.ts';
import { MAX_RETAINED, MAX_RETAINED_MS } from '../../agents/contract.ts';
import { workerSettingInvalid } from '../errors.ts';

/** How long a worker keeps the functions of runs that wait, and how many of them. */
export interface RetainSettings {
  /** 0: none is kept. */
  retain_ms: number;
  most: number;
}

const DEFAULT_TIME = '10s';
const DEFAULT_MOST = '100';

/** Reads `SVC_WORKER_KEEP` and `SVC_WORKER_KEPT`. Throws `worker_setting_invalid`. */
export function readRetainSettings(env: Record<string, string | undefined>): RetainSettings {
  return {
    retain_ms: readTime(env.SVC_WORKER_KEEP || DEFAULT_TIME),
    most: readMost(env.SVC_WORKER_KEPT || DEFAULT_MOST),
  };
}

function readTime(text: string): number {
  if (text === 'off') return 0;
  let retain_ms: number;
  try {
    retain_ms = parseDuration(text);
  } catch (error) {
    throw workerSettingInvalid(`SVC_WORKER_KEEP: ${(error as Error).message}`, { cause: error });
  }
  if (retain_ms > MAX_RETAINED_MS)
    throw workerSettingInvalid(`SVC_WORKER_KEEP is "${text}"; it must be off or at most ${MAX_RETAINED_MS / 1000}s`);
  return retain_ms;
}

function readMost(text: string): number {
  const most = Number(text);
  if (!/^\d+$/.test(text) || most > MAX_RETAINED)
    throw workerSettingInvalid(`SVC_WORKER_KEPT is "${text}"; it must be a whole number from 0 to ${MAX_RETAINED}`);
  return most;
}
