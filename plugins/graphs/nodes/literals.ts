import type { Fault } from '../../../kernel/contracts/index.ts';
import { pointerTo } from '../../schema/contract.ts';
import type { NodeConfig } from '../contract.ts';
import { type Expressed, expressionsIn } from '../domain/values.ts';

/** Faults of expressions in members that must be known when the graph is saved. */
export function literalFaults(config: NodeConfig, members: readonly string[]): Fault[] {
  return members.flatMap((member) => {
    const into: Expressed = { found: [], faults: [] };
    expressionsIn(config[member] ?? null, pointerTo('', member), false, into);
    return into.found.map(({ pointer }) => ({ pointer, message: 'must be written here; it cannot be computed' }));
  });
}
