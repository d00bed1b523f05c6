import { Errors, isServiceError, parseDuration } from '../../../../kernel/contracts/index.ts';

const MAX_WAIT_MS = 10 * 60_000;

/** `?wait=` in milliseconds; undefined without it. Throws `invalid_request`. */
export function waitOf({ wait }: Readonly<Record<string, string>>): number | undefined {
  if (wait === undefined) return undefined;
  try {
    const wait_ms = parseDuration(wait);
    if (wait_ms <= MAX_WAIT_MS) return wait_ms;
    throw badWait('must be at most 10m; send the request again after that');
  } catch (error) {
    if (isServiceError(error, 'duration_invalid'))
      throw badWait('must be a duration of at most 10m, such as 500ms, 30s or 2m');
    throw error;
  }
}

const badWait = (message: string) =>
  Errors.invalidRequest(`wait ${message}`, { errors: [{ pointer: '/query/wait', message }] });
