import { parseDuration } from '../../../../kernel/contracts/index.ts';
import { MAX_KEPT, MAX_KEPT_MS } from '../../agents/contract.ts';
import { workerSettingInvalid } from '../errors.ts';

/** How long a worker keeps the functions of runs that wait, and how many of them. */
export interface KeepSettings {
  /** 0: none is kept. */
  keep_ms: number;
  most: number;
}

const KEEP = '10s';
const KEPT = '100';

/** Reads `SVC_WORKER_KEEP` and `SVC_WORKER_KEPT`. Throws `worker_setting_invalid`. */
export function readKeepSettings(env: Record<string, string | undefined>): KeepSettings {
  const { SVC_WORKER_KEEP: keep = '', SVC_WORKER_KEPT: kept = '' } = env;
  return { keep_ms: readKeep(keep === '' ? KEEP : keep), most: readKept(kept === '' ? KEPT : kept) };
}

function readKeep(text: string): number {
  if (text === 'off') return 0;
  let keep_ms: number;
  try {
    keep_ms = parseDuration(text);
  } catch (error) {
    throw workerSettingInvalid(`SVC_WORKER_KEEP: ${(error as Error).message}`, { cause: error });
  }
  if (keep_ms > MAX_KEPT_MS)
    throw workerSettingInvalid(`SVC_WORKER_KEEP is "${text}"; it must be off or at most ${MAX_KEPT_MS / 1000}s`);
  return keep_ms;
}

function readKept(text: string): number {
  const most = Number(text);
  if (!/^\d+$/.test(text) || most > MAX_KEPT)
    throw workerSettingInvalid(`SVC_WORKER_KEPT is "${text}"; it must be a whole number from 0 to ${MAX_KEPT}`);
  return most;
}
