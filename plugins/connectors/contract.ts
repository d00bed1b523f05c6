import { type Fault, token } from '../../kernel/contracts/index.ts';
import type { ConnectorManifest, ManifestAction } from '../manifests/contract.ts';
import type { NodeRequest } from '../requests/contract.ts';
import type { Json } from '../runs/contract.ts';

/** Values by name: the `with` or the `input` of a node. */
export type ConnectorValues = { readonly [name: string]: Json };

/** What an action is lowered with; expressions and holes of the author are filled already. */
export interface ConnectorCall {
  with: ConnectorValues;
  input: ConnectorValues;
  node: {
    /** The same for every attempt. */
    idempotency_key: string;
  };
}

/** One action of a connector: the node type `<connector>.<action>`. */
export interface ConnectorAction {
  /** `team_chat.post_message`. */
  type: string;
  name: string;
  connector: ConnectorManifest;
  described: ManifestAction;
  /**
   * The one request that the call comes to, without its credential; or everything that is wrong with the values, with
   * pointers such as `/input/text`.
   */
  lower(call: ConnectorCall): { request: NodeRequest } | { faults: Fault[] };
}

/** The actions of all connectors. They are compiled at start and never change. */
export interface ConnectorActions {
  find(type: string): ConnectorAction | undefined;
  /** By connector and name. */
  all(): readonly ConnectorAction[];
}

export const ConnectorActions = token<ConnectorActions>('connectors.ConnectorActions');
