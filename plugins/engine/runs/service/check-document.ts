import { isServiceError, type Scope } from '../../../../kernel/contracts/index.ts';
import { readJsonText } from '../../../platform/schema/contract.ts';
import type { CheckedDocument, DocumentCheck, Problem } from '../contract.ts';
import { endingOf } from '../domain/document-marks.ts';

/**
 * The problems of a document that is no workflow; undefined for a workflow. A `.json` file is a program only for somebody
 * who names kind or interpreter.
 */
export async function checkDocument(
  checks: readonly DocumentCheck[],
  scope: Scope,
  { kind, source = '', filename, interpreter }: CheckedDocument,
): Promise<Problem[] | undefined> {
  if (kind !== undefined) return checks.find((one) => one.kind === kind)?.check(scope, source);
  const json = endingOf(filename) === '.json' && interpreter === undefined;
  if (!json && !source.trimStart().startsWith('{')) return undefined;
  const read = readJsonText(source);
  if ('error' in read) return json ? [{ ...read.error, code: 'json_invalid' }] : undefined;
  const document = isObject(read.value) ? read.value : {};
  const found = checks.find((one) => one.recognises(document));
  if (found) return found.check(scope, source);
  return json && document.version === undefined ? [unknown(checks)] : undefined;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function unknown(checks: readonly DocumentCheck[]): Problem {
  const kinds = ['graph', ...checks.map(({ kind }) => kind)].join(', ');
  const message = `svc does not recognize this document: a graph needs the member \`version\`, and a connector needs \`manifest\`; or say what it is: ${kinds} (\`svc check --as\`)`;
  return { line: 1, column: 1, message, code: 'document_unknown' };
}

/** A refusal of the caller's document as a problem of it; throws every other error. */
export function asProblem(error: unknown): Problem {
  if (!isServiceError(error) || error.status >= 500) throw error;
  return { line: 1, column: 1, message: error.message, code: error.code };
}
