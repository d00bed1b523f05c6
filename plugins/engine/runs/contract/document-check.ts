import { extensionPoint, type Scope } from '../../../../kernel/contracts/index.ts';
import type { Problem } from './workflow.ts';

/** A JSON document that is checked and never submitted: a handler, the manifest of a connector. */
export interface DocumentCheck {
  /** Short name, different from those of workflow kinds: `handler`. */
  kind: string;
  /** True for an object that is meant to be such a document, however wrong it is. */
  recognises(document: { readonly [name: string]: unknown }): boolean;
  /** All faults of a text; it may be no JSON when the caller named the kind. */
  check(scope: Scope, source: string): Promise<Problem[]>;
}

export const DocumentChecks = extensionPoint<DocumentCheck>('runs.DocumentChecks', { key: ({ kind }) => kind });
