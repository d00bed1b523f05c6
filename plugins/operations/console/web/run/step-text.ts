import type { StepRecord } from '../../../../../cli/generated/api.ts';
import { bytesOf } from '../kit/text.ts';

type Said = Pick<StepRecord, 'message' | 'stdout' | 'stdout_base64'>;

/** What a step printed. */
export const outputText = ({ stdout, stdout_base64 }: Said): string =>
  stdout_base64 === undefined ? (stdout ?? '') : `${bytesOf(stdout_base64).length} bytes of binary data`;

/** What a failed attempt said of it, in a few lines. */
export function attemptText(attempt: Said & { exit_code: number }): string {
  const text = (attempt.message ?? outputText(attempt)).trim();
  return text === '' ? `exit code ${attempt.exit_code}` : text.split('\n').slice(0, 4).join('\n');
}
