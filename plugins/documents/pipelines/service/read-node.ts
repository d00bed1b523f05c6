import { type FlowNodeType, flowConfigInvalid } from '../../../engine/flows/contract.ts';
import { REPO_FILE_NODE } from '../../../integrations/forges/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import { READ_NODE } from '../domain/child.ts';
import { fillTemplates } from '../domain/templates.ts';

/**
 * Reads the file that a `workflow` job runs. Pipelines evaluate its location, and the plugin `forges` does the rest.
 */
export const readNode = (types: () => readonly FlowNodeType[]): FlowNodeType => {
  const reader = () => {
    const type = types().find(({ type }) => type === REPO_FILE_NODE);
    if (type) return type;
    throw flowConfigInvalid('no plugin on this server reads repository files');
  };
  return {
    type: READ_NODE,
    begin: (tx, node) =>
      reader().begin(tx, { ...node, config: fillTemplates(node.config, node.evaluate) as { [name: string]: Json } }),
    ended: (result) => reader().ended?.(result) ?? result,
  };
};
