import { Errors } from '../../../kernel/contracts/index.ts';
import type { WorkflowKind } from '../contract.ts';
import { workflowKindUnknown } from '../errors.ts';

/** What a submitted document says of itself. */
interface Submitted {
  kind?: string;
  filename?: string;
  source: string;
}

/**
 * The kind that was named (by its short name or its versioned type), else the first by precedence that
 * recognises the document. Throws `workflow_kind_unknown`, or `invalid_request` when nobody recognises it.
 */
export function findKind(kinds: readonly WorkflowKind[], document: Submitted): WorkflowKind {
  const known = kinds.map((kind) => kind.kind).join(', ') || 'none';
  if (document.kind !== undefined) {
    const named = kinds.find((kind) => kind.kind === document.kind || kind.type === document.kind);
    if (named) return named;
    const message = `${JSON.stringify(document.kind)} is no kind of workflow here; known: ${known}`;
    throw workflowKindUnknown(message, { errors: [{ pointer: '/kind', message }] });
  }
  refuseUnbrought(kinds, document, known);
  const ordered = [...kinds].sort((a, b) => a.precedence - b.precedence);
  const found = ordered.find((kind) => kind.recognises(document.filename, document.source));
  if (found) return found;
  const message = `is recognised by no kind of workflow (${known}); name one in kind`;
  throw Errors.invalidRequest(`/source ${message}`, { errors: [{ pointer: '/source', message }] });
}

/** A pipeline or a graph is never taken for a program, whose shell would run its lines. */
function refuseUnbrought(kinds: readonly WorkflowKind[], { filename, source }: Submitted, known: string): void {
  const meant = /\.ya?ml$/i.test(filename ?? '') ? 'pipeline' : isGraph(source) ? 'graph' : undefined;
  if (meant === undefined || kinds.some(({ kind }) => kind === meant)) return;
  const message = `the document is a ${meant}, which is no kind of workflow here; known: ${known}`;
  throw workflowKindUnknown(message, { errors: [{ pointer: '/source', message }] });
}

function isGraph(source: string): boolean {
  if (!source.trimStart().startsWith('{') || !source.includes('svc-graph/v1')) return false;
  try {
    const document = JSON.parse(source) as { version?: unknown };
    return document.version === 'svc-graph/v1';
  } catch {
    // No JSON: a program may begin with a brace too.
    return false;
  }
}
