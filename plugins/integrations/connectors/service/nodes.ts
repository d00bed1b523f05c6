import type { Fault } from '../../../../kernel/contracts/index.ts';
import type { FlowNodeContext, FlowNodeType } from '../../../engine/flows/contract.ts';
import type { GraphNodeType, NodeConfig } from '../../../engine/flows/contract.ts';
import {
  validateHeaders,
  headerTexts,
  type NodeHeaders,
  type NodeRequest,
  type NodeRequests,
} from '../../requests/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import { pointerTo } from '../../../platform/schema/contract.ts';
import type { ConnectorAction, ConnectorValues } from '../contract.ts';
import { configSchema } from '../domain/node-config.ts';
import { ConnectorErrors } from '../errors.ts';

const isValues = (value: Json | undefined): value is ConnectorValues =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns true when a node of this action cannot work without a credential. */
const needsCredential = ({ connector: { credential } }: ConnectorAction): boolean =>
  credential !== undefined && credential.required !== false;

/** The flow node of an action: it sends one request. */
export const flowNode = (action: ConnectorAction, requests: () => NodeRequests): FlowNodeType => ({
  type: action.type,
  begin: (_tx, node) => requests().begin(node, createRequest(action, node)),
});

/** Throws `connector_input_invalid`. */
function createRequest(action: ConnectorAction, node: FlowNodeContext): NodeRequest {
  const { with: fields = {}, input = {}, headers = {}, credential, ...rest } = node.config;
  const errors: Fault[] = [];
  for (const [name, value] of Object.entries({ with: fields, input, headers }))
    if (!isValues(value)) errors.push({ pointer: `/${name}`, message: 'must be an object' });
  for (const [name, value] of Object.entries(isValues(headers) ? headers : {}))
    if (value !== null && typeof value === 'object')
      errors.push({ pointer: pointerTo('/headers', name), message: 'must be a string, a number, a boolean or null' });
  if (needsCredential(action) && typeof credential !== 'string')
    errors.push({ pointer: '/credential', message: 'must name a credential' });
  const call = { with: fields, input, node: { idempotency_key: node.key } };
  const lowered =
    errors.length > 0 ? { faults: errors } : action.lower(call as Parameters<ConnectorAction['lower']>[0]);
  if ('request' in lowered) {
    const { request } = lowered;
    const merged = mergedHeaders(request.headers, headers as NodeHeaders);
    return { ...request, ...rest, headers: merged, ...(credential ? { credential } : {}) } as NodeRequest;
  }
  const detail = lowered.faults.map(({ pointer, message }) => `${pointer} ${message}`).join('; ');
  throw ConnectorErrors.inputInvalid(`node ${node.name} (${action.type}): ${detail}`, {
    errors: lowered.faults,
    final: true,
  });
}

/** Merges headers by name, ignoring case. The headers of the node win over those of the manifest. */
function mergedHeaders(ofManifest: NodeRequest['headers'] = {}, ofNode: NodeHeaders): Record<string, string> {
  const node_headers = headerTexts(ofNode);
  const named = new Set(Object.keys(node_headers).map((name) => name.toLowerCase()));
  const inherited = Object.entries(ofManifest).filter(([name]) => !named.has(name.toLowerCase()));
  return { ...Object.fromEntries(inherited), ...node_headers };
}

/** An action as a type of node that graphs can have. */
export function graphNode(action: ConnectorAction): GraphNodeType {
  const { connector, described, type } = action;
  const { credential } = connector;
  return {
    type,
    title: `${connector.title}: ${described.title ?? action.name}`,
    config: configSchema(action),
    holes: ['with', 'input'],
    faults: (config) => [...validateCredential(action, config), ...validateHeaders(config.headers)],
    credentials: ({ credential: name }) =>
      credential && typeof name === 'string' ? [{ name, kinds: [credential.kind], pointer: '/credential' }] : [],
  };
}

function validateCredential(action: ConnectorAction, config: NodeConfig): Fault[] {
  if (!needsCredential(action) || config.credential !== undefined) return [];
  const { kind } = action.connector.credential!;
  return [{ pointer: '/credential', message: `is required: ${action.type} needs a credential of kind ${kind}` }];
}
