import type { FlowNodeType } from '../../../engine/flows/contract.ts';
import type { NodeRequests } from '../contract.ts';
import { toRequest } from '../domain/config.ts';

/** `{url, method?, headers?, …}`: one request; its response is the output. */
export const httpNode = (requests: () => NodeRequests): FlowNodeType => ({
  type: 'http',
  begin: (_tx, node) => requests().begin(node, toRequest(node.config)),
});
