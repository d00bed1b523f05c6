import type { Log, Settings } from '../../../../kernel/contracts/index.ts';
import { nativePrograms } from './build.mjs';

/** Variables of a process that nobody else should read in its environment. `guard.c` has the same list. */
export const SECRET = [
  'SVC_TOKEN',
  'SVC_MASTER_KEY',
  'SVC_NEW_MASTER_KEY',
  'SVC_DATABASE_URL',
  'SVC_WAKE_URL',
  'SVC_ARTIFACTS_S3_SECRET_ACCESS_KEY',
  'SVC_OIDC_CLIENT_SECRET',
  'SVC_CONNECTED_ACCOUNT_PROVIDERS',
] as const;

/** What the addon can do, if there is one. */
export interface Guard {
  /** Returns free memory outside of the JavaScript heap to the system. */
  releaseMemory?(): void;
}

/**
 * Hides the memory of this process from others of the same user, and overwrites the secrets in the environment that
 * it was started with; `Settings.env` keeps them. Only in a process that is for svc alone (`SVC_OWN_PROCESS`, which
 * the commands set), not in one that embeds it.
 */
export async function guardProcess({ env }: Pick<Settings, 'env'>, log: Log): Promise<Guard> {
  if (env.SVC_OWN_PROCESS !== 'on') return {};
  const { programs, why } = await nativePrograms();
  const guard: { exports: Guard } = { exports: {} };
  try {
    // Loading the addon does the work.
    if (programs.guard) process.dlopen(guard, programs.guard);
    else log.info({ reason: why }, 'other programs of this user can read the memory of this process');
  } catch (error) {
    log.warn({ reason: (error as Error).message }, 'other programs of this user can read the memory of this process');
  }
  for (const name of SECRET) delete process.env[name];
  return guard.exports;
}
