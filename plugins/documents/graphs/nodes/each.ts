import { type FlowNodeType, flowConfigInvalid } from '../../../engine/flows/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import { CALL_WAIT } from '../../../execution/children/contract.ts';
import type { GraphNodeType } from '../contract.ts';
import { BODY_MEMBERS, EACH, GRAPH_VERSION, MAX_LOOP_ITEMS } from '../domain/graph.ts';
import graphSchema from '../schema/graph.schema.json' with { type: 'json' };
import { ITEM_OPTIONS, itemProperties } from './item-list.ts';
import { validateLiterals } from './literals.ts';

const FLOW_TYPE = 'graph.each';
const MAX_NODES = 500;
const MAX_EDGES = 5000;

/** Runs several connected nodes for each item in a list. Each item is a called run of the graph in its config. */
export const each: GraphNodeType = {
  type: EACH,
  title: 'Runs several connected nodes for each item in a list',
  config: {
    type: 'object',
    required: ['items', 'nodes'],
    properties: {
      ...itemProperties(MAX_LOOP_ITEMS),
      nodes: {
        type: 'array',
        minItems: 1,
        maxItems: MAX_NODES,
        items: { type: 'object' },
        description:
          "The nodes to run for each item, written like a graph's nodes. Their expressions can use `item`, `index` and `input` (the value of this node's `input` member).",
      },
      edges: {
        type: 'array',
        maxItems: MAX_EDGES,
        items: { type: 'object' },
        description: 'The edges between these nodes: `{from, to, when?}`. By default, all nodes start at once.',
      },
      output: {
        type: ['object', 'array'],
        description: "The result of each item, written like a graph's `output`. Default: the last node's output.",
      },
      input: {
        description: 'Any JSON that the nodes need from the graph around them. It can use `item` and `index`.',
      },
      on_failure: {
        ...graphSchema.properties.on_failure,
        description: "Like a graph's `on_failure`, for the nodes of one item.",
      },
      ...ITEM_OPTIONS,
    },
  },
  expressions: ['items'],
  faults: (config) => validateLiterals(config, ['on_failure', 'concurrency', 'finish_all']),
  lower({ input = null, ...config }) {
    const members = BODY_MEMBERS.flatMap((name) => (config[name] === undefined ? [] : [[name, config[name]] as const]));
    // The flow does not evaluate text: the run of an item does.
    const source = JSON.stringify({ version: GRAPH_VERSION, for_item: true, ...Object.fromEntries(members) });
    return {
      type: FLOW_TYPE,
      config: { source, input: { item: { $expr: 'item' }, index: { $expr: 'index' }, input } },
    };
  },
};

/** Calls the run of an item. It is cancelled when the loop stops waiting for it. */
export const eachFlowNode: FlowNodeType = {
  type: FLOW_TYPE,
  begin(_tx, { name, config: { source, input = null }, timeout_ms }) {
    if (typeof source !== 'string') throw flowConfigInvalid(`node ${name}: it has no nodes to run`);
    const args: { [member: string]: Json } = { source, filename: `${name}.json`, kind: 'graph', input };
    return { wait: { kind: CALL_WAIT, name, args, timeout_ms } };
  },
};
