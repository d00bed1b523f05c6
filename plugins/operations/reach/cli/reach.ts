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
  const reach = await api.json<Api.Reach>({
    path: api.scoped('/reach'),
    query: {
      type: args[0]!,
      trusted: flags.trusted ? 'true' : 'false',
      depth: flags.depth as number | undefined,
      nodes: 2000,
    },
  });
  const violations = findViolations(reach, assertions);
  const answer = assertions.length === 0 ? reach : { ...reach, violations };
  output.data(answer, () => (flags.dot ? toDot(reach) : formatTree(reach, output)));
  const cut = `the answer is incomplete: it reached the limit of ${reach.truncated.join(' and ')}`;
  if (violations.length > 0) {
    const lines = violations.map((violation) => describeViolation(reach, violation));
    throw new CliError(
      Exit.failed,
      'reached',
      `${args[0]} reaches what it must not reach\n${lines.join('\n')}`,
      'change the workflows on the path, or the assertion',
    );
  }
  if (reach.truncated.length > 0 && assertions.length > 0)
    throw new CliError(Exit.failed, 'incomplete', cut, 'assert about a type that reaches less, or raise --depth');
  if (reach.truncated.length > 0) output.note(cut);
  noteUnknown(reach, flags.assert as readonly string[] | undefined, output);
  return undefined;
};

/** An assertion that holds says nothing about what nobody knows. */
function noteUnknown(reach: Api.Reach, asserted: readonly string[] = [], output: Output): void {
  const count = reach.nodes.filter(({ kind }) => kind === 'unknown').length;
  if (asserted.length === 0 || count === 0) return;
  output.note(`${count} ${count === 1 ? 'thing is' : 'things are'} unknown; --assert "no unknown" fails for them`);
}

function describeViolation(reach: Api.Reach, { assertion, path }: Violation): string {
  const nodes = new Map(reach.nodes.map((node) => [node.id, node]));
  const describe = (id: string) => {
    const node = nodes.get(id);
    return node ? describeNode(node) : id;
  };
  const [first] = path;
  const steps = path.map(({ relation, to, why }) => `    ${relation} ${describe(to)}: ${why}`);
  return [`  ${assertion}:`, `    ${describe(first?.from ?? reach.root)}`, ...steps].join('\n');
}
