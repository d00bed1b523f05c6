import { destination as openDestination, pino } from 'pino';
import { Errors, type Log } from '../../contracts/index.ts';

const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'];

/** What JSON leaves as it is and a terminal obeys: DEL, C1, and what turns a line around. */
const OBEYED = /[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const escaped = (control: string) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** JSON lines on standard error, synchronous so that nothing is lost when the process dies. */
export function createLog(level: string, fields: Record<string, unknown>): Log {
  if (!LEVELS.includes(level))
    throw Errors.settingInvalid(`SVC_LOG_LEVEL is "${level}"; it must be one of ${LEVELS.join(', ')}`);
  const to = openDestination({ dest: 2, sync: true });
  const options = { level, base: fields, timestamp: pino.stdTimeFunctions.isoTime };
  return pino(options, { write: (line) => to.write(line.replaceAll(OBEYED, escaped)) });
}
