import { isServiceError } from '../../../../kernel/contracts/index.ts';

/** How often the caller of an answer that lasts is checked again. */
export const ADMISSION_INTERVAL_MS = 5000;

/** Throws what the caller of an answer that lasts would be refused with now, except that a rate limit is exceeded. */
export async function checkAdmission(admitted: () => Promise<void>): Promise<void> {
  try {
    await admitted();
  } catch (error) {
    if (!isServiceError(error, 'rate_limited')) throw error;
  }
}
