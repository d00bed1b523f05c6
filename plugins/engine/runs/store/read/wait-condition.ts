import type { Sealer } from '../../../../../kernel/contracts/index.ts';
import type { ActivityScope, AnyBranch, Json, Substate } from '../../contract.ts';
import { openText, parseJson, sealContext } from '../rows/sealing.ts';

export type WaitCondition = Pick<Substate, 'when' | 'values' | 'any'>;

/** The arguments of a wait that may have a condition; null for others. */
export interface ConditionRow {
  activity_id: string;
  position: number;
  condition_args: string | null;
}

/** Columns of a `ConditionRow` of `runs_waits w`. */
export const CONDITION_COLUMNS =
  "w.activity_id, w.position, CASE WHEN w.substate IN ('event', 'any') THEN w.args END AS condition_args";
/** The same where nobody reads the condition: arguments may be long. */
export const WITHOUT_CONDITION = 'w.activity_id, w.position, NULL AS condition_args';

/** What ends a wait: a script passes the values of a condition as `vars`. The org's keys must be ready. */
export function openCondition(
  sealer: Sealer,
  run: ActivityScope,
  { condition_args, ...wait }: ConditionRow,
): WaitCondition {
  if (condition_args === null) return {};
  const at = sealContext.waitArgs(run, { run_id: run.run_id, ...wait });
  const args = toMembers(parseJson(openText(sealer, at, condition_args)));
  if (!Array.isArray(args?.branches)) return toCondition(args);
  const branches = args.branches as unknown as readonly AnyBranch[];
  return {
    any: branches.map(({ kind, name, ...branch }) => ({
      kind,
      name,
      ...toCondition(branch as { [name: string]: Json }),
    })),
  };
}

/** Which events end a wait. */
function toCondition(args: { [name: string]: Json } | undefined): Pick<Substate, 'when' | 'values'> {
  if (typeof args?.when !== 'string') return {};
  const values = toMembers(args.values) ?? (toMembers(args.vars) && { vars: args.vars! });
  return { when: args.when, ...(values && { values }) };
}

const toMembers = (value: Json | undefined): { [name: string]: Json } | undefined =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? value : undefined;
