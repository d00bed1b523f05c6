import { type Fault, token } from '../../../kernel/contracts/index.ts';
import type { ConnectorManifest, ManifestAction, ManifestTest, ManifestTrigger } from '../manifests/contract.ts';
import type { NodeAnswer, NodeRequest } from '../requests/contract.ts';
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

/** An item of a list that a trigger reads, as an event. */
export interface TriggerItem {
  id: string;
  type: string;
  key: string | null;
  payload: Json;
}

/** The items of an answer in its order, and the cursor after it; or why the answer cannot be used. */
export type TriggerReading = { items: TriggerItem[]; cursor: Json | undefined } | { problem: string };

/** One trigger of a connector: a list whose new items become events. */
export interface ConnectorTrigger {
  name: string;
  connector: ConnectorManifest;
  described: ManifestTrigger;
  /** How often the list is read by default, and at most. */
  every_ms: number;
  least_ms: number;
  /** The time limit of a poll with all its pages. */
  timeout_ms: number;
  /** Lowers a poll to one request, like an action. */
  lower(
    call: Pick<ConnectorCall, 'with' | 'input'> & { cursor: Json | undefined },
  ): ReturnType<ConnectorAction['lower']>;
  read(answer: NodeAnswer): TriggerReading;
}

/** The triggers of all connectors, as they are now. */
export interface ConnectorTriggers {
  find(connector: string, trigger: string): ConnectorTrigger | undefined;
}

export const ConnectorTriggers = token<ConnectorTriggers>('connectors.ConnectorTriggers');

/** The request with which a connector tests a credential. */
export interface ConnectorTest {
  connector: ConnectorManifest;
  described: ManifestTest;
  /** Lowers the test to one request, like an action. Only the fields in its address are required. */
  lower(fields: ConnectorValues): ReturnType<ConnectorAction['lower']>;
}

export { isGreater } from './contract/cursor-order.ts';
