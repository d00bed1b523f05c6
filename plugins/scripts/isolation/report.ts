import { getSystemErrorMessage, getSystemErrorName } from 'node:util';

/** The step of a report that says that the program has ended by itself. */
export const ENDED = 'ended';

/** What kept a program from starting in isolation, or that it has `ENDED`. */
export interface IsolationFault {
  /** `program` and `folder` are of what was to run; anything else is of this machine. */
  step: string;
  code: string;
  text: string;
}

const MEANS: Readonly<Record<string, string>> = {
  namespaces: 'no namespaces could be made',
  user: 'the user could not be mapped',
  mounts: 'the file system could not be made',
  network: 'the network could not be restricted',
  privileges: 'privileges could not be given up',
};

/** Reads the line that the native program `isolate` leaves. Undefined when it left none. */
export function readReport(line: string): IsolationFault | undefined {
  const [, step = '', errno = '', subject = ''] = /^(\w+) (\d+) (.*)/.exec(line) ?? [];
  if (step === '') return undefined;
  // No call failed, or the one that did says no more.
  if (Number(errno) === 0) return { step, code: 'UNKNOWN', text: `${MEANS[step] ?? step} (${subject})` };
  const code = getSystemErrorName(-Number(errno));
  const reason = getSystemErrorMessage(-Number(errno)) ?? code;
  if (step === 'program' || step === 'folder') return { step, code, text: `${subject}: ${reason}` };
  return { step, code, text: `${MEANS[step] ?? step} (${subject}: ${reason})` };
}
