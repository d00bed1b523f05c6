import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { type Client, CliError, Exit, type Invocation, rememberSubmitted } from '../../../../cli/contract.ts';
import type { RunView } from '../explain/answers.ts';
import { describeStatus } from './describe.ts';
import { selectRuns, type RunSelection } from './select-runs.ts';

/** What a command does to each of the runs that it finds. */
export interface Change extends RunSelection {
  /** `cancel`, `rerun`: in the question, and in what is said about it. */
  verb: string;
  /** Throws when it could not be done. */
  apply(api: Client, run: RunView): Promise<ChangeOutcome>;
}

export interface ChangeOutcome {
  /** One word, the same for all runs to which the same happened. */
  outcome: string;
  /** The run that came of it. */
  made?: string;
}

interface Result extends ChangeOutcome {
  run_id: string;
  error?: { code: string; message: string };
}

/** Requests under way at the same time. */
const MAX_CONCURRENT = 8;
/** Runs that a preview shows in full. */
const MAX_PREVIEWED = 10;

/** Shows the runs that the flags select, asks, and changes each of them. */
export async function changeRuns(invocation: Invocation, change: Change): Promise<number> {
  const { flags, output } = invocation;
  const api = await invocation.client();
  const runs = await selectRuns(api, flags, change);
  if (runs.length === 0) {
    output.data({ runs: [] }, () => '');
    output.note(`no runs to ${change.verb}`);
    return Exit.ok;
  }
  if (flags.yes !== true && !(await confirm(invocation, change.verb, runs))) return Exit.ok;
  const results = await mapConcurrently(
    runs,
    (run) => changeRun(api, run, change),
    (done) => output.status(`${done} of ${runs.length}`),
  );
  output.status('');
  const made = results.findLast((one) => one.made !== undefined)?.made;
  if (made !== undefined) await rememberSubmitted(api, invocation, made);
  output.data({ runs: results }, () => results.map(formatResult).join('\n'));
  output.note(summarize(results));
  return results.some(({ error }) => error) ? Exit.failed : Exit.ok;
}

/** Without a terminal nobody can be asked, and nothing is done. */
async function confirm({ output, stdin }: Invocation, verb: string, runs: readonly RunView[]): Promise<boolean> {
  const preview = runs.map(({ run_id, status, workflow, created_at }) => ({ run_id, status, workflow, created_at }));
  const rows = runs
    .slice(0, MAX_PREVIEWED)
    .map((run) => [run.run_id, describeStatus(run, output), run.workflow, output.time(run.created_at)]);
  const more = runs.length > MAX_PREVIEWED ? [`and ${runs.length - MAX_PREVIEWED} more`] : [];
  output.data({ preview: true, runs: preview }, () =>
    [output.table(['run', 'status', 'workflow', 'created'], rows), ...more].join('\n'),
  );
  if (!stdin.isTTY || output.json) {
    output.note(`nothing was done: add --yes to ${verb} ${formatCount(runs.length)}`);
    return false;
  }
  const question = createInterface({ input: stdin, output: process.stderr });
  // At the end of the input (Ctrl-D) there is no answer, and the question would wait forever.
  const ended = once(question, 'close').then(() => '');
  const asked = question.question(`${verb} ${formatCount(runs.length)}? [y/N] `);
  const answer = await Promise.race([asked, ended]).finally(() => question.close());
  const yes = /^y(es)?$/i.test(answer.trim());
  if (!yes) output.note('nothing was done');
  return yes;
}

async function changeRun(api: Client, run: RunView, { apply }: Change): Promise<Result> {
  const { run_id } = run;
  try {
    return { run_id, ...(await apply(api, run)) };
  } catch (error) {
    // Without the server, or without a token that it knows, none of the others would fare better.
    if (!(error instanceof CliError) || error.exit !== Exit.failed) throw error;
    return { run_id, outcome: 'failed', error: { code: error.code, message: error.message } };
  }
}

/** In order, a few at a time. */
async function mapConcurrently<T, R>(items: readonly T[], work: (item: T) => Promise<R>, tell: (done: number) => void) {
  const results: R[] = [];
  let [next, done] = [0, 0];
  const worker = async () => {
    while (next < items.length) {
      const at = next++;
      results[at] = await work(items[at]!);
      tell(++done);
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT }, worker));
  return results;
}

const formatResult = ({ run_id, outcome, made, error }: Result): string =>
  `${run_id}  ${outcome}${made === undefined ? '' : `  ${made}`}${error ? `: ${error.message} (${error.code})` : ''}`;

const formatCount = (count: number): string => `${count} ${count === 1 ? 'run' : 'runs'}`;

function summarize(results: readonly Result[]): string {
  const counts = Map.groupBy(results, ({ outcome }) => outcome);
  return `${formatCount(results.length)}: ${[...counts].map(([outcome, own]) => `${own.length} ${outcome}`).join(', ')}`;
}
