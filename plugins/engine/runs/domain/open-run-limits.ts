import { Errors } from '../../../../kernel/contracts/index.ts';

/** How many runs may be open: queued, running or waiting. */
export interface OpenRunLimits {
  /** Of a project. */
  open: number;
  /** Called by one run, by what it calls, and so on; spawned runs are not among them. */
  called: number;
}

const MOST = 10_000_000;

/** Reads `SVC_MAX_OPEN_RUNS` and `SVC_MAX_CALLED_RUNS`. Throws `setting_invalid`. */
export const readOpenRunLimits = (env: Readonly<Record<string, string | undefined>>): OpenRunLimits => ({
  open: countOf(env, 'SVC_MAX_OPEN_RUNS', 100_000),
  called: countOf(env, 'SVC_MAX_CALLED_RUNS', 1000),
});

function countOf(env: Readonly<Record<string, string | undefined>>, name: string, fallback: number): number {
  const text = env[name]?.trim();
  if (text === undefined || text === '') return fallback;
  const count = /^\d{1,8}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= MOST) return count;
  throw Errors.settingInvalid(`${name} is ${JSON.stringify(text)}; it must be a whole number from 1 to ${MOST}`);
}
