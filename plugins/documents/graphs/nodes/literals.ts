import type { Fault } from '../../../../kernel/contracts/index.ts';
import { pointerTo } from '../../../platform/schema/contract.ts';
import type { NodeConfig } from '../contract.ts';
import { type CollectedExpressions, findExpressions } from '../domain/values.ts';

/** Reports expressions in members that must be known when the graph is saved. */
export function validateLiterals(config: NodeConfig, members: readonly string[]): Fault[] {
  return members.flatMap((member) => {
    const into: CollectedExpressions = { expressions: [], errors: [] };
    findExpressions(config[member] ?? null, pointerTo('', member), false, into);
    return into.expressions.map(({ pointer }) => ({
      pointer,
      message: 'must be a literal value; it cannot be computed',
    }));
  });
}
