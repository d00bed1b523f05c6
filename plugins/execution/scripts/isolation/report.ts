import { getSystemErrorMessage, getSystemErrorName } from 'node:util';

/** The step of a report which says that the program has ended by itself. */
export const PROGRAM_ENDED = 'ended';

/** What kept a program from starting in isolation, or that it has `ENDED`. */
export interface IsolationReport {
  /** `program` and `folder` concern the program; any other step concerns this machine. */
  step: string;
  code: string;
  text: string;
}

const STEP_FAILURES: Readonly<Record<string, string>> = {
  namespaces: 'namespaces could not be created',
  user: 'the user could not be mapped',
  mounts: 'the file system could not be created',
  network: 'the network could not be restricted',
  privileges: 'privileges could not be dropped',
};

/** Parses the line that the native program `isolate` leaves. Returns undefined if it left none. */
export function readReport(line: string): IsolationReport | undefined {
  const [, step = '', errno = '', subject = ''] = /^(\w+) (\d+) (.*)/.exec(line) ?? [];
  if (step === '') return undefined;
  // No call failed, or the error of the call says no more.
  if (Number(errno) === 0) return { step, code: 'UNKNOWN', text: `${STEP_FAILURES[step] ?? step} (${subject})` };
  const code = getSystemErrorName(-Number(errno));
  const reason = getSystemErrorMessage(-Number(errno)) ?? code;
  if (step === 'program' || step === 'folder') return { step, code, text: `${subject}: ${reason}` };
  return { step, code, text: `${STEP_FAILURES[step] ?? step} (${subject}: ${reason})` };
}
