import assert from 'node:assert/strict';
import type { ITestStepHookParameter } from '@cucumber/cucumber';

type GherkinDocument = ITestStepHookParameter['gherkinDocument'];

/**
 * What the specification leaves open (codes, most statuses, words of messages, paths) is settled by a contract of its
 * own. Scenarios that show nothing else have the tag `@contract`; in the others a step that only the contract backs stands
 * below the comment `# @contract`. A run for the specification alone looks at neither.
 */
export const specOnly = (): boolean => process.env.SVC_CONFORMANCE_SPEC_ONLY === '1';

/** The statuses that the specification names, by its rules. */
const NAMED: Record<string, number> = {
  'HTTP-006': 202,
  'HTTP-013': 200,
  'ERR-022': 200,
  'HOOK-015': 401,
  'ERR-021': 401,
  'EVT-042': 413,
  'ERR-016': 413,
  'LIM-002': 413,
};

/** For the specification alone any refusal is one, and any success, where it names no status. */
export function assertStatus(tags: readonly string[], found: number, wanted: number, why: string): void {
  if (!specOnly() || tags.some((tag) => NAMED[tag.slice(1)] === wanted)) assert.equal(found, wanted, why);
  else if (wanted >= 400) assert.ok(found >= 400 && found < 500, why);
  else assert.ok(found >= 200 && found < 300, why);
}

/** The specification names success, 1 and 124; any other failure is one. */
export function assertExit(found: number, wanted: number, why: string): void {
  if (!specOnly() || wanted <= 1 || wanted === 124) assert.equal(found, wanted, why);
  else assert.notEqual(found, 0, why);
}

const marked = new WeakMap<GherkinDocument, Set<string>>();

/** Does the step stand below the comment? */
export function isContract(
  document: GherkinDocument,
  { astNodeIds: [id = ''] }: { astNodeIds: readonly string[] },
): boolean {
  const known = marked.get(document) ?? stepsBelowComment(document);
  marked.set(document, known);
  return known.has(id);
}

function stepsBelowComment({ feature, comments }: GherkinDocument): Set<string> {
  const lines = new Set(comments.filter(({ text }) => text.trim() === '# @contract').map((one) => one.location.line));
  const below = ({ id, location }: { id: string; location: { line: number } }) =>
    lines.has(location.line - 1) ? [id] : [];
  const children = (feature?.children ?? []).flatMap((child) => (child.rule ? child.rule.children : [child]));
  return new Set(children.flatMap(({ scenario, background }) => (scenario ?? background)?.steps.flatMap(below) ?? []));
}
