import { Errors } from '../../../kernel/contracts/index.ts';
import { REFERENCE_FORMS, type WorkflowKind, type WorkflowReference } from '../contract.ts';
import { endingOf, ofTheService, versionOf } from '../domain/document-marks.ts';
import { workflowKindUnknown } from '../errors.ts';

/**
 * The named kind (by short name or versioned type); otherwise the kind that resolves the reference; otherwise the kind
 * that recognises the document. Throws `workflow_kind_unknown`, or `invalid_request` when no kind accepts the document.
 */
export function findKind(kinds: readonly WorkflowKind[], reference: WorkflowReference): WorkflowKind {
  const known = kinds.map(({ kind }) => kind).join(', ') || 'none';
  const form = REFERENCE_FORMS.find((one) => one !== 'source' && reference[one] !== undefined);
  if (form !== undefined && form !== 'source') {
    const resolving = kinds.find(({ references }) => references?.includes(form));
    if (resolving) return resolving;
    throw unknown('/kind', `${JSON.stringify(form)} is not a known kind of workflow; known: ${known}`);
  }
  if (reference.kind !== undefined) {
    const named = kinds.find(({ kind, type }) => kind === reference.kind || type === reference.kind);
    if (named) return named;
    throw unknown('/kind', `${JSON.stringify(reference.kind)} is not a known kind of workflow; known: ${known}`);
  }
  return findByMarks(kinds, reference, known);
}

function findByMarks(kinds: readonly WorkflowKind[], { filename, source = '' }: WorkflowReference, known: string) {
  const [version, ending] = [versionOf(source), endingOf(filename)];
  const marked =
    kinds.find(({ marks }) => version !== undefined && marks.versions?.includes(version)) ??
    kinds.find(({ marks }) => ending !== undefined && marks.endings?.includes(ending));
  if (marked) return marked;
  const own = ofTheService(version, ending);
  if (own !== undefined)
    throw unknown('/source', `the document is a ${own}, which is not a known kind of workflow; known: ${known}`);
  const taker = kinds.find(({ marks }) => marks.anything);
  if (taker) return taker;
  const message = `does not match any kind of workflow (${known}); name one in kind`;
  throw Errors.invalidRequest(`/source ${message}`, { errors: [{ pointer: '/source', message }] });
}

const unknown = (pointer: string, message: string) => workflowKindUnknown(message, { errors: [{ pointer, message }] });
