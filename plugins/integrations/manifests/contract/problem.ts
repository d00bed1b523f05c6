import type { Fault } from '../../../../kernel/contracts/index.ts';

/** An invalid part of a manifest, with its pointer, its rule, and how to correct it. */
export interface ManifestProblem extends Fault {
  /** A stable name in snake_case, such as `name_undeclared`. */
  rule: string;
  /** One sentence that says what the author has to do. */
  fix: string;
}

/** Formats a problem as one line: `/name: is required [required]; add the member`. */
export const formatProblem = ({ pointer, message, rule, fix }: ManifestProblem): string =>
  `${pointer || '(whole document)'}: ${message} [${rule}]; ${fix}`;
