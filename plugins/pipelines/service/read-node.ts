import { type FlowNodeType, flowConfigInvalid } from '../../flows/contract.ts';
import { REPO_FILE_NODE } from '../../forges/contract.ts';
import type { Json } from '../../runs/contract.ts';
import { READ_NODE } from '../domain/child.ts';
import { filled } from '../domain/holes.ts';

/** Reads the file that a `workflow` job runs. Pipelines fill the holes of its place; the rest is the work of the forges. */
export const readNode = (types: () => readonly FlowNodeType[]): FlowNodeType => {
  const reader = () => {
    const found = types().find(({ type }) => type === REPO_FILE_NODE);
    if (found) return found;
    throw flowConfigInvalid('no plugin of this server reads files of repositories');
  };
  return {
    type: READ_NODE,
    begin: (tx, node) =>
      reader().begin(tx, { ...node, config: filled(node.config, node.evaluate) as { [name: string]: Json } }),
    ended: (result) => reader().ended?.(result) ?? result,
  };
};
