import type { ConnectorManifest } from '../../manifests/contract.ts';

/** What `svc connector import` makes of a document. */
export interface ImportedConnector {
  manifest: ConnectorManifest;
  /** Operations that have no action, and what the actions of others lack. */
  notes: { operation: string; note: string }[];
}

/** What `svc connector record` needs to know before it calls the other system. */
export interface PreparedExample {
  file: string;
  manifest: ConnectorManifest;
  action: string;
  /** The values that are sent. The example has masks instead of those that are named like secrets. */
  call: { with: object; input: object };
  /** Secret values of the call. */
  secrets: readonly string[];
  /** The example without its response. */
  example: NonNullable<ConnectorManifest['examples']>[number];
}

/** What `connector-mask` gets: JSON, so that no number loses digits between the command and the tool. */
export interface UnmaskedResponse {
  response: string;
  secrets: readonly string[];
}
