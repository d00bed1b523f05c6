import { Errors } from '../../../kernel/contracts/index.ts';
import type { WorkflowKind } from '../contract.ts';

/**
 * The kind that was named (by its short name or its versioned type), else the first by precedence that
 * recognises the document. Throws `invalid_request` when there is none.
 */
export function findKind(
  kinds: readonly WorkflowKind[],
  document: { kind?: string; filename?: string; source: string },
): WorkflowKind {
  const known = kinds.map((kind) => kind.kind).join(', ') || 'none';
  if (document.kind !== undefined) {
    const named = kinds.find((kind) => kind.kind === document.kind || kind.type === document.kind);
    if (named) return named;
    throw unknownKind('/kind', `is no kind of workflow here; known: ${known}`);
  }
  const ordered = [...kinds].sort((a, b) => a.precedence - b.precedence);
  const found = ordered.find((kind) => kind.recognises(document.filename, document.source));
  if (found) return found;
  throw unknownKind('/source', `is recognised by no kind of workflow (${known}); name one in kind`);
}

function unknownKind(pointer: string, message: string) {
  return Errors.invalidRequest(`${pointer} ${message}`, { errors: [{ pointer, message }] });
}
