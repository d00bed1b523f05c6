import { type Fault, token } from '../../../kernel/contracts/index.ts';
import type { ConnectorManifest, ManifestAction } from '../manifests/contract.ts';
import type { NodeRequest } from '../requests/contract.ts';
import type { Json } from '../../engine/runs/contract.ts';

/** Values by name: the `with` or the `input` of a node. */
export type ConnectorValues = { readonly [name: string]: Json };

/** The values for an action, after the author's expressions and templates are evaluated. */
export interface ConnectorCall {
  with: ConnectorValues;
  input: ConnectorValues;
  node: {
    /** The key is the same for every attempt. */
    idempotency_key: string;
  };
}

/** One action of a connector, as the node type `<connector>.<action>`. */
export interface ConnectorAction {
  /** The node type: `team_chat.post_message`. */
  type: string;
  name: string;
  connector: ConnectorManifest;
  described: ManifestAction;
  /**
   * Lowers a call to one request without its credential, or returns every invalid value with a pointer such as
   * `/input/text`.
   */
  lower(call: ConnectorCall): { request: NodeRequest } | { faults: Fault[] };
}

/** The actions of all connectors. Those of SVC_CONNECTORS change with their files while the server runs. */
export interface ConnectorActions {
  find(type: string): ConnectorAction | undefined;
  /** All actions, sorted by connector and name. */
  all(): readonly ConnectorAction[];
}

export const ConnectorActions = token<ConnectorActions>('connectors.ConnectorActions');
