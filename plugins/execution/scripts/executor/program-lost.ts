import { ProgramLost } from '../contract.ts';
import { scriptKilled } from '../errors.ts';

/** Returns the error for a program before whose end nothing is recorded. */
export function programLost(reason: string): ProgramLost {
  const { code, message, next } = scriptKilled(`the process that starts its programs was killed repeatedly: ${reason}`);
  return new ProgramLost(reason, {
    end: 'interrupted',
    at: 0,
    otherwise: { status: 'failed', code, message: `${message}\n${next}` },
  });
}
