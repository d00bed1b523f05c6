import { Errors, isServiceError, parseDuration } from '../../../../kernel/contracts/index.ts';

const MAX_MS = 3_600_000;

/** Reads how long values of secret stores stay in memory. Throws `setting_invalid`. */
export function readCacheTime(setting = ''): number {
  const text = setting || '60s';
  if (text === 'off') return 0;
  try {
    const ms = parseDuration(text);
    if (ms <= MAX_MS) return ms;
  } catch (error) {
    if (!isServiceError(error)) throw error;
  }
  throw Errors.settingInvalid('SVC_SECRET_STORE_CACHE must be a duration of at most 1h, such as 60s, or off');
}
