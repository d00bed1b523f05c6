import { destination as openDestination, pino } from 'pino';
import { Errors, type Log } from '../../contracts/index.ts';

const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'];

/** Characters that JSON leaves as they are and a terminal acts on: DEL, C1 controls, and bidirectional controls. */
const CONTROL_CHARACTERS = /[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const escapeControl = (control: string) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Writes JSON lines to standard error, synchronously, so that nothing is lost when the process dies. */
export function createLog(level: string, fields: Record<string, unknown>): Log {
  if (!LEVELS.includes(level))
    throw Errors.settingInvalid(`SVC_LOG_LEVEL is "${level}"; it must be one of ${LEVELS.join(', ')}`);
  const stderr = openDestination({ dest: 2, sync: true });
  const options = { level, base: fields, timestamp: pino.stdTimeFunctions.isoTime };
  return pino(options, { write: (line) => stderr.write(line.replaceAll(CONTROL_CHARACTERS, escapeControl)) });
}
