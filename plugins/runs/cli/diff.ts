import { type Client, CliError, type Output, type Run, span } from '../../../cli/contract.ts';
import { type ComparedStep, compareRuns, type Comparison, textOf } from '../explain/compare/comparison.ts';
import { inputOf } from '../explain/compare/input.ts';
import { hunks, lineDiff } from '../explain/compare/line-diff.ts';
import type { RunView } from '../explain/answers.ts';
import { allSteps } from './all-steps.ts';

export const run: Run = async ({ args, output, client }) => {
  const api = await client();
  const [a, b] = [await whole(api, args[0]!), await whole(api, args[1]!)];
  const comparison = compareRuns(a, b);
  const input = { a: a.input, b: b.input };
  output.data({ a: args[0], b: args[1], input, ...comparison }, () => text(comparison, input, output));
  return undefined;
};

const pathOf = (api: Client, kind: 'runs' | 'events', id: string) => api.scoped(`/${kind}/${encodeURIComponent(id)}`);

async function whole(api: Client, run_id: string) {
  const record = await api.json<RunView>({ path: pathOf(api, 'runs', run_id) });
  const { steps, nodes } = await allSteps(api, run_id, { output: true });
  const input = await inputOf(record, {
    run: (id) => api.json<RunView>({ path: pathOf(api, 'runs', id) }).catch(unlessGone),
    event: (id) => api.json<{ payload: unknown }>({ path: pathOf(api, 'events', id) }).catch(unlessGone),
  });
  return { run: record, steps: steps ?? nodes ?? [], input: input?.value };
}

function unlessGone(error: unknown): undefined {
  if (error instanceof CliError && error.code === 'not_found') return undefined;
  throw error;
}

function text(found: Comparison, input: { a: unknown; b: unknown }, output: Output): string {
  const facts = found.facts.filter(({ same }) => !same).map(({ name, a, b }) => [name.toLowerCase(), a, b]);
  const took = [found.took_ms.a, found.took_ms.b].map((ms) => (ms === undefined ? '' : span(ms)));
  const rows = found.steps.map((step) => [MARKS[step.verdict], step.kind, step.site, ...outcomes(step)]);
  return [
    output.table(['', 'a', 'b'], [...facts, ['took', ...took]]).trimEnd(),
    ...diff('input', textOf(input.a), textOf(input.b)),
    ...diff('output', found.output.a, found.output.b),
    ...diff('error', found.error.a, found.error.b),
    '',
    rows.length === 0 ? 'neither has recorded a call' : output.table(['', 'verb', 'site', 'a', 'b'], rows).trimEnd(),
    ...found.steps.flatMap(stepDiffs),
  ].join('\n');
}

const MARKS: Record<ComparedStep['verdict'], string> = { same: ' ', differs: '≠', a: '-', b: '+' };

const outcomes = ({ a, b }: ComparedStep): string[] =>
  [a, b].map((side) => (side ? `${side.outcome}${side.took_ms === undefined ? '' : `, ${span(side.took_ms)}`}` : ''));

const stepDiffs = ({ site, a, b, differs }: ComparedStep): string[] =>
  differs.flatMap((member) => (member === 'outcome' ? [] : diff(`${member} of ${site}`, a![member], b![member])));

/** As `diff -u` shows it. */
function diff(name: string, a: string, b: string): string[] {
  if (a === b) return [];
  const lines = hunks(lineDiff(a.trimEnd(), b.trimEnd())).hunks.flatMap((hunk) => [
    ...(hunk.skipped > 0 ? [`@@ ${hunk.skipped} equal lines`] : []),
    ...hunk.lines.map((line) => `${{ both: ' ', a: '-', b: '+' }[line.side]}${line.text}`),
  ]);
  return ['', `${name}:`, ...(lines.length > 0 ? lines : ['  they differ in empty lines at the end'])];
}
