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
  /** The example without its response. */
  example: NonNullable<ConnectorManifest['examples']>[number];
}
