import { type Queries, token } from '../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../platform/resources/contract.ts';

/** The variables that runs of a project would start with now. */
export interface Variables {
  /** Returns the names, sorted: those of the project and of its org. */
  namesOf(on: Pick<Queries, 'read'>, scope: ProjectScope): Promise<readonly string[]>;
}

export const Variables = token<Variables>('variables.Variables');

/** The variables that a run sees: those of its start, even if they were replaced or removed since. */
export interface RecordedVariables {
  /** Returns the values by name. A value of the project wins over one of its org. */
  of(on: Pick<Queries, 'read'>, run: ProjectScope & { run_id: string }): Promise<Readonly<Record<string, string>>>;
}

export const RecordedVariables = token<RecordedVariables>('variables.RecordedVariables');

/** The name of the values in the scope of expressions: `vars.REGION`. */
export const VARS = 'vars';
