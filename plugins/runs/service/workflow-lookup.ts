import { Errors } from '../../../kernel/contracts/index.ts';
import type { WorkflowKind } from '../contract.ts';
import { workflowKindUnknown } from '../errors.ts';

/**
 * The kind that was named (by its short name or its versioned type), else the first by precedence that
 * recognises the document. Throws `workflow_kind_unknown`, or `invalid_request` when nobody recognises it.
 */
export function findKind(
  kinds: readonly WorkflowKind[],
  document: { kind?: string; filename?: string; source: string },
): WorkflowKind {
  const known = kinds.map((kind) => kind.kind).join(', ') || 'none';
  if (document.kind !== undefined) {
    const named = kinds.find((kind) => kind.kind === document.kind || kind.type === document.kind);
    if (named) return named;
    const message = `${JSON.stringify(document.kind)} is no kind of workflow here; known: ${known}`;
    throw workflowKindUnknown(message, { errors: [{ pointer: '/kind', message }] });
  }
  const ordered = [...kinds].sort((a, b) => a.precedence - b.precedence);
  const found = ordered.find((kind) => kind.recognises(document.filename, document.source));
  if (found) return found;
  const message = `is recognised by no kind of workflow (${known}); name one in kind`;
  throw Errors.invalidRequest(`/source ${message}`, { errors: [{ pointer: '/source', message }] });
}
