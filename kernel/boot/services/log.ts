import { destination as openDestination, pino } from 'pino';
import { Errors, type Log } from '../../contracts/index.ts';

const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'];

/** JSON lines on standard error, synchronous so that nothing is lost when the process dies. */
export function createLog(level: string, fields: Record<string, unknown>): Log {
  if (!LEVELS.includes(level))
    throw Errors.settingInvalid(`SVC_LOG_LEVEL is "${level}"; it must be one of ${LEVELS.join(', ')}`);
  return pino(
    { level, base: fields, timestamp: pino.stdTimeFunctions.isoTime },
    openDestination({ dest: 2, sync: true }),
  );
}
