import { token } from '../../kernel/contracts/index.ts';
import type { ProjectScope } from '../resources/contract.ts';

/** The secrets of projects, for plugins that put values in place. Nobody else is given one without an audit row. */
export interface Secrets {
  /** Every secret of the project, in order of its name. Throws `sealed_value_unreadable`. */
  valuesOf(scope: ProjectScope): Promise<{ name: string; value: string }[]>;
}

export const Secrets = token<Secrets>('secrets.Secrets');
