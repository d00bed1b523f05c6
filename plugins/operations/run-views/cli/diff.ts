import { type Client, CliError, type Output, type Run, formatSpan } from '../../../../cli/contract.ts';
import { type ComparedStep, compareRuns, type Comparison, toText } from '../explain/compare/comparison.ts';
import { readInput } from '../explain/compare/input.ts';
import { toHunks, lineDiff } from '../explain/compare/line-diff.ts';
import type { RunView } from '../explain/answers.ts';
import { readAllSteps } from './all-steps.ts';

export const run: Run = async ({ args, output, client }) => {
  const api = await client();
  const [a, b] = [await readRun(api, args[0]!), await readRun(api, args[1]!)];
  const comparison = compareRuns(a, b);
  const input = { a: a.input, b: b.input };
  output.data({ a: args[0], b: args[1], input, ...comparison }, () => formatComparison(comparison, input, output));
  return undefined;
};

const pathOf = (api: Client, kind: 'runs' | 'events', id: string) => api.scoped(`/${kind}/${encodeURIComponent(id)}`);

async function readRun(api: Client, run_id: string) {
  const record = await api.json<RunView>({ path: pathOf(api, 'runs', run_id) });
  const { steps, nodes } = await readAllSteps(api, run_id, { output: true });
  const input = await readInput(record, {
    run: (id) => api.json<RunView>({ path: pathOf(api, 'runs', id) }).catch(ignoreNotFound),
    event: (id) => api.json<{ payload: unknown }>({ path: pathOf(api, 'events', id) }).catch(ignoreNotFound),
  });
  return { run: record, steps: steps ?? nodes ?? [], input: input?.value };
}

function ignoreNotFound(error: unknown): undefined {
  if (error instanceof CliError && error.code === 'not_found') return undefined;
  throw error;
}

function formatComparison(found: Comparison, input: { a: unknown; b: unknown }, output: Output): string {
  const facts = found.facts.filter(({ same }) => !same).map(({ name, a, b }) => [name.toLowerCase(), a, b]);
  const took = [found.took_ms.a, found.took_ms.b].map((ms) => (ms === undefined ? '' : formatSpan(ms)));
  const rows = found.steps.map((step) => [SYMBOLS[step.verdict], step.kind, step.site, ...describeOutcomes(step)]);
  return [
    output.table(['', 'a', 'b'], [...facts, ['took', ...took]]).trimEnd(),
    ...formatDiff('input', toText(input.a), toText(input.b)),
    ...formatDiff('output', found.output.a, found.output.b),
    ...formatDiff('error', found.error.a, found.error.b),
    '',
    rows.length === 0 ? 'neither has recorded a call' : output.table(['', 'verb', 'site', 'a', 'b'], rows).trimEnd(),
    ...found.steps.flatMap(formatStepDiffs),
  ].join('\n');
}

const SYMBOLS: Record<ComparedStep['verdict'], string> = { same: ' ', differs: '≠', a: '-', b: '+' };

const describeOutcomes = ({ a, b }: ComparedStep): string[] =>
  [a, b].map((side) =>
    side ? `${side.outcome}${side.took_ms === undefined ? '' : `, ${formatSpan(side.took_ms)}`}` : '',
  );

const formatStepDiffs = ({ site, a, b, differs }: ComparedStep): string[] =>
  differs.flatMap((member) => (member === 'outcome' ? [] : formatDiff(`${member} of ${site}`, a![member], b![member])));

/** As `diff -u` shows it. */
function formatDiff(name: string, a: string, b: string): string[] {
  if (a === b) return [];
  const lines = toHunks(lineDiff(a.trimEnd(), b.trimEnd())).hunks.flatMap((hunk) => [
    ...(hunk.skipped > 0 ? [`@@ ${hunk.skipped} equal lines`] : []),
    ...hunk.lines.map((line) => `${{ both: ' ', a: '-', b: '+' }[line.side]}${line.text}`),
  ]);
  return ['', `${name}:`, ...(lines.length > 0 ? lines : ['  they differ in empty lines at the end'])];
}
