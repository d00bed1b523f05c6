import type { Fault } from '../../../kernel/contracts/index.ts';
import type { FlowNodeContext, FlowNodeType } from '../../flows/contract.ts';
import type { GraphNodeType, NodeConfig } from '../../graphs/contract.ts';
import {
  headerFaults,
  headerTexts,
  type NodeHeaders,
  type NodeRequest,
  type NodeRequests,
} from '../../requests/contract.ts';
import type { Json } from '../../runs/contract.ts';
import { pointerTo } from '../../schema/contract.ts';
import type { ConnectorAction, ConnectorValues } from '../contract.ts';
import { configSchema } from '../domain/node-config.ts';
import { ConnectorErrors } from '../errors.ts';

const isValues = (value: Json | undefined): value is ConnectorValues =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** True when a node of this action is nothing without a credential. */
const needsCredential = ({ connector: { credential } }: ConnectorAction): boolean =>
  credential !== undefined && credential.required !== false;

/** What an action does when its node begins: it becomes one request. */
export const flowNode = (action: ConnectorAction, requests: () => NodeRequests): FlowNodeType => ({
  type: action.type,
  begin: (_tx, node) => requests().begin(node, requestOf(action, node)),
});

/** Throws `connector_input_invalid`. */
function requestOf(action: ConnectorAction, node: FlowNodeContext): NodeRequest {
  const { with: fields = {}, input = {}, headers = {}, credential, ...rest } = node.config;
  const faults: Fault[] = [];
  for (const [name, value] of Object.entries({ with: fields, input, headers }))
    if (!isValues(value)) faults.push({ pointer: `/${name}`, message: 'must be an object' });
  for (const [name, value] of Object.entries(isValues(headers) ? headers : {}))
    if (value !== null && typeof value === 'object')
      faults.push({ pointer: pointerTo('/headers', name), message: 'must be a text, a number, a boolean or null' });
  if (needsCredential(action) && typeof credential !== 'string')
    faults.push({ pointer: '/credential', message: 'must name a credential' });
  const call = { with: fields, input, node: { idempotency_key: node.key } };
  const lowered = faults.length > 0 ? { faults } : action.lower(call as Parameters<ConnectorAction['lower']>[0]);
  if ('request' in lowered) {
    const { request } = lowered;
    const merged = mergedHeaders(request.headers, headers as NodeHeaders);
    return { ...request, ...rest, headers: merged, ...(credential ? { credential } : {}) } as NodeRequest;
  }
  const said = lowered.faults.map(({ pointer, message }) => `${pointer} ${message}`).join('; ');
  throw ConnectorErrors.inputInvalid(`node ${node.name} (${action.type}): ${said}`, {
    errors: lowered.faults,
    final: true,
  });
}

/** The headers of the node win over those of the manifest, whatever the case of their letters. */
function mergedHeaders(ofManifest: NodeRequest['headers'] = {}, ofNode: NodeHeaders): Record<string, string> {
  const own = headerTexts(ofNode);
  const named = new Set(Object.keys(own).map((name) => name.toLowerCase()));
  const kept = Object.entries(ofManifest).filter(([name]) => !named.has(name.toLowerCase()));
  return { ...Object.fromEntries(kept), ...own };
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
    faults: (config) => [...credentialFault(action, config), ...headerFaults(config.headers)],
    credentials: ({ credential: name }) =>
      credential && typeof name === 'string' ? [{ name, kinds: [credential.kind], pointer: '/credential' }] : [],
  };
}

function credentialFault(action: ConnectorAction, config: NodeConfig): Fault[] {
  if (!needsCredential(action) || config.credential !== undefined) return [];
  const { kind } = action.connector.credential!;
  return [{ pointer: '/credential', message: `is required: ${action.type} needs a credential of kind ${kind}` }];
}
