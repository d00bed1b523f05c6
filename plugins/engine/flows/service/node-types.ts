import type { ChangingNodeTypes, FlowNodeType } from '../contract.ts';

export interface FlowNodeTypes {
  get(type: string): FlowNodeType | undefined;
}

/** Finds types that never change before those that can. */
export function flowNodeTypes(fixed: readonly FlowNodeType[], changing: readonly ChangingNodeTypes[]): FlowNodeTypes {
  const byType = new Map(fixed.map((one) => [one.type, one]));
  return {
    get(type) {
      const found = byType.get(type);
      if (found !== undefined) return found;
      for (const source of changing) {
        const node = source.findFlowNode(type);
        if (node !== undefined) return node;
      }
      return undefined;
    },
  };
}
