import { type Api, CliError, Exit, type Output, type Run, usageError } from '../../../../cli/contract.ts';
import { findViolations, parseAssertion, type Violation } from './assertions.ts';
import { toDot } from './dot.ts';
import { describeNode, formatTree } from './tree.ts';

/** Prints what an event could reach, or fails if it reaches what an assertion forbids. */
export const run: Run = async ({ args, flags, output, client }) => {
  if (flags.trusted && flags.untrusted)
    throw usageError('--trusted and --untrusted cannot be combined', 'leave one of them out');
  const assertions = ((flags.assert as readonly string[] | undefined) ?? []).map(parseAssertion);
  const api = await client();
  const impact = await api.json<Api.Reach>({
    path: api.scoped('/reach'),
    query: {
      type: args[0]!,
      trusted: flags.trusted ? 'true' : 'false',
      depth: flags.depth as number | undefined,
      nodes: 2000,
    },
  });
  const violations = findViolations(impact, assertions);
  const answer = assertions.length === 0 ? impact : { ...impact, violations };
  output.data(answer, () => (flags.dot ? toDot(impact) : formatTree(impact, output)));
  const incomplete = `the answer is incomplete: it reached the limit of ${impact.truncated.join(' and ')}`;
  if (violations.length > 0) {
    const details = violations.flatMap((violation) => describeViolation(impact, violation));
    throw new CliError(
      Exit.failed,
      'reach_forbidden',
      `${args[0]} reaches what an assertion forbids`,
      'change a workflow on the path, or the assertion',
      details,
    );
  }
  if (impact.truncated.length > 0 && assertions.length > 0)
    throw new CliError(
      Exit.failed,
      'reach_incomplete',
      incomplete,
      'assert about a type that reaches less, or raise --depth',
    );
  if (impact.truncated.length > 0) output.note(incomplete);
  noteUnknown(impact, flags.assert as readonly string[] | undefined, output);
  return undefined;
};

/** An assertion that holds says nothing about what nobody knows. */
function noteUnknown(impact: Api.Reach, asserted: readonly string[] = [], output: Output): void {
  const count = impact.nodes.filter(({ kind }) => kind === 'unknown').length;
  if (asserted.length === 0 || count === 0) return;
  output.note(`${count} ${count === 1 ? 'thing is' : 'things are'} unknown; --assert "no unknown" fails for them`);
}

function describeViolation(impact: Api.Reach, { assertion, path }: Violation): string[] {
  const nodes = new Map(impact.nodes.map((node) => [node.id, node]));
  const describe = (id: string) => {
    const node = nodes.get(id);
    return node ? describeNode(node) : id;
  };
  const [first] = path;
  const steps = path.map(({ relation, to, why }) => `  ${relation} ${describe(to)}: ${why}`);
  return [`${assertion}:`, `  ${describe(first?.from ?? impact.root)}`, ...steps];
}
