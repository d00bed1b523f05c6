import type { FlowNodeContext, FlowNodeOutcome } from '../../../engine/flows/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import {
  ANSWER_RULES_CAPABILITY,
  HTTP_CAPABILITY,
  HTTP_EXECUTOR,
  type NodeRequest,
  type NodeRequests,
} from '../contract.ts';
import { keyText } from '../contract/key-text.ts';
import { checkRequest } from '../domain/request-rules.ts';

const IDEMPOTENCY_KEY = 'Idempotency-Key';
/** Methods that are not idempotent by themselves. */
const KEYED_METHODS: readonly string[] = ['POST', 'PATCH'];

export const nodeRequests: NodeRequests = {
  begin(node, requested): FlowNodeOutcome {
    const request = checkRequest({ ...requested, ...limitTimeout(requested, node) });
    const spec = { ...request, headers: withIdempotencyKey(request, node.key) } as unknown as Json;
    const ruled = request.failed_when !== undefined || request.paginate !== undefined;
    const requires = ruled ? [HTTP_CAPABILITY, ANSWER_RULES_CAPABILITY] : [HTTP_CAPABILITY];
    return { activity: { executor: HTTP_EXECUTOR, spec, requires } };
  },
};

/** The attempt ends with the timeout of its node, so the request need not go on for longer. */
function limitTimeout({ timeout_ms }: NodeRequest, node: Pick<FlowNodeContext, 'timeout_ms'>) {
  if (node.timeout_ms === undefined || (timeout_ms !== undefined && timeout_ms <= node.timeout_ms)) return {};
  return timeout_ms === undefined ? {} : { timeout_ms: Math.max(1, Math.ceil(node.timeout_ms)) };
}

/**
 * A request may be sent twice, after a lost agent or by the node's retry. The key lets the server recognize the second
 * one. With `paginate`, no key is sent, because it would make all pages the same request to the server.
 */
function withIdempotencyKey({ method, headers = {}, paginate }: NodeRequest, key: string): Record<string, string> {
  const named = Object.keys(headers).some((name) => name.toLowerCase() === IDEMPOTENCY_KEY.toLowerCase());
  return KEYED_METHODS.includes(method) && !named && !paginate
    ? { ...headers, [IDEMPOTENCY_KEY]: keyText(key) }
    : { ...headers };
}
