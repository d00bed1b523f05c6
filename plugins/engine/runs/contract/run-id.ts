import { Errors, isId } from '../../../../kernel/contracts/index.ts';

export const runNotFound = (run_id: string) => Errors.notFound(`no run ${run_id.slice(0, 64)} in this project`);

/** Returns a text that may be the id of a run. Throws `not_found` for any other text. */
export function checkRunId(text: string | undefined): string {
  if (text !== undefined && isId(text)) return text;
  throw runNotFound(text ?? '');
}
