import type { FlowNodeType } from '../../flows/contract.ts';
import type { NodeRequests } from '../contract.ts';
import { requestOf } from '../domain/config.ts';

/** `{url, method?, headers?, …}`: one request; its answer is the output. */
export const httpNode = (requests: () => NodeRequests): FlowNodeType => ({
  type: 'http',
  begin: (_tx, node) => requests().begin(node, requestOf(node.config)),
});
