import type { Fault } from '../../../kernel/contracts/index.ts';

/** A fault of a manifest: where, which rule, what is wrong, and what to do about it. */
export interface ManifestFault extends Fault {
  /** snake_case and stable: `name_undeclared`. */
  rule: string;
  /** One sentence for the author. */
  fix: string;
}

/** A fault on one line for people: `/name: is required [required]; add the member`. */
export const faultLine = ({ pointer, message, rule, fix }: ManifestFault): string =>
  `${pointer || '(whole document)'}: ${message} [${rule}]; ${fix}`;
