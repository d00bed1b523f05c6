import { destination as openDestination, pino } from 'pino';
import type { Log } from '../../contracts/index.ts';
import { BootErrors } from '../errors.ts';

const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'];

/** JSON lines on standard error, synchronous so that nothing is lost when the process dies. */
export function createLog(level: string, fields: Record<string, unknown>): Log {
  if (!LEVELS.includes(level))
    throw BootErrors.settingInvalid(`SVC_LOG_LEVEL is "${level}"; it takes ${LEVELS.join(', ')}`);
  return pino(
    { level, base: fields, timestamp: pino.stdTimeFunctions.isoTime },
    openDestination({ dest: 2, sync: true }),
  );
}
