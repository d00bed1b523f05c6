import { constants } from 'node:os';
import {
  type Client,
  CliError,
  Exit,
  type Invocation,
  type Run,
  sendIncluded,
  usageError,
} from '../../../../cli/contract.ts';
import { pathOf } from './project/kinds.ts';
import { isRejection } from './project/live.ts';
import { changeApplied, MARKED } from './project/applied.ts';
import { label, type Plan, type Step } from './project/plan.ts';
import { assertRemovable, assertRole } from './project/own-role.ts';
import { formatNames, noteUnmanaged, open } from './open.ts';

interface Failure {
  object: string;
  code: string;
  message: string;
  next: string;
  details: readonly string[];
}

/** What an apply has done, by object. */
interface Report {
  created: string[];
  updated: string[];
  unchanged: string[];
  removed: string[];
  failed: Failure[];
  /** What an interrupted apply has not done. */
  remaining: string[];
  notes: string[];
}

export const run: Run = async (invocation) => {
  const { flags, output } = invocation;
  if (flags.all && !flags.prune) throw usageError('--all needs --prune', 'add --prune, or omit --all');
  const { api, plan, is_empty } = await open(invocation);
  const steps = plan.steps.filter(({ action }) => action !== 'remove' || flags.prune === true);
  if (is_empty && steps.length > 0 && !flags.dryRun && !flags.allowEmpty)
    throw usageError(
      `${String(flags.folder)} describes no object, so --prune would remove ${formatNames(steps.map(label))}`,
      'pass the correct folder, or add --allow-empty to remove them',
    );
  const applying = new Applying(api, invocation, plan);
  const report = flags.dryRun ? foresee(steps) : await applying.do(steps);
  for (const { kind, error } of plan.unreadable)
    report.failed.push({
      object: kind.folder,
      code: error.code,
      message: error.message,
      next: error.next,
      details: [],
    });
  const { notes, ...data } = report;
  output.data({ dry_run: flags.dryRun === true, ...data }, () => linesOf(report).join('\n'));
  for (const note of notes) output.note(note);
  for (const { object, message, next, details } of report.failed)
    output.note([`failed ${object}: ${message}`, ...details.map((detail) => `  ${detail}`), `  → ${next}`].join('\n'));
  if (applying.stop !== undefined) return endInterrupted(report, applying.stop, invocation);
  const without_file = flags.prune ? [] : plan.steps.filter(({ action }) => action === 'remove');
  if (without_file.length > 0)
    output.note(`without a file, removed with --prune: ${without_file.map(label).join(', ')}`);
  noteUnmanaged(plan, invocation);
  output.note(summaryOf(report, flags.dryRun === true));
  return report.failed.length > 0 ? Exit.failed : undefined;
};

/** Why an apply ended early: a signal, or an error after which no other request can succeed. */
type Stop = { signal: NodeJS.Signals } | { error: unknown };

/** Says how to continue. Throws the error that has ended the apply. */
function endInterrupted({ remaining, ...report }: Report, stop: Stop, { output }: Invocation): number {
  output.note(`interrupted: ${summaryOf({ ...report, remaining }, false)}, ${remaining.length} not done`);
  if (remaining.length > 0) output.note(`not done: ${formatNames(remaining)}`);
  output.note('  → repeat the command to complete the rest');
  if ('error' in stop) throw stop.error;
  return 128 + constants.signals[stop.signal];
}

const emptyReport = (): Report => ({
  created: [],
  updated: [],
  unchanged: [],
  removed: [],
  failed: [],
  remaining: [],
  notes: [],
});

const RESULTS = { create: 'created', update: 'updated', keep: 'unchanged', remove: 'removed' } as const;

function foresee(steps: readonly Step[]): Report {
  const report = emptyReport();
  for (const step of steps) {
    if (step.kind.set_by_people !== undefined && step.action !== 'keep')
      report.failed.push(failureOf(step, missing(step)));
    else report[RESULTS[step.action]].push(label(step));
  }
  return report;
}

const linesOf = ({ created, updated, removed }: Report): string[] => [
  ...created.map((object) => `created ${object}`),
  ...updated.map((object) => `updated ${object}`),
  ...removed.map((object) => `removed ${object}`),
];

function summaryOf({ created, updated, unchanged, removed, failed }: Report, dry_run: boolean): string {
  const done = [created.length, updated.length, removed.length, failed.length].some((count) => count > 0);
  if (!done) return `nothing to do: ${unchanged.length} unchanged`;
  const text = `${created.length} created, ${updated.length} updated, ${unchanged.length} unchanged, ${removed.length} removed, ${failed.length} failed`;
  return dry_run ? `dry run: ${text}` : text;
}

const failureOf = (step: Step, { code, message, next, details }: CliError): Failure => ({
  object: label(step),
  code,
  message,
  next,
  details: details.map((detail) =>
    detail.startsWith('/') ? `${step.desired?.path ?? label(step)}:${detail}` : detail,
  ),
});

/** The error for an object that only people set. */
function missing({ kind, name, action, body }: Step): CliError {
  const what = action === 'create' ? 'does not exist' : 'differs from its file';
  return new CliError(Exit.failed, 'set_by_people', what, `set it: ${kind.set_by_people!(name, body)}`);
}

/** Applies steps one after the other. A rejected one is reported, and tried again once the others are done. */
class Applying {
  readonly #api: Client;
  readonly #invocation: Invocation;
  readonly #plan: Plan;
  readonly #report = emptyReport();
  /** The objects that are as their files say, and not marked yet. */
  readonly #unmarked: Step[] = [];
  #stop: Stop | undefined;

  constructor(api: Client, invocation: Invocation, plan: Plan) {
    this.#api = api;
    this.#invocation = invocation;
    this.#plan = plan;
  }

  /** Set when the apply ended early. */
  get stop(): Stop | undefined {
    return this.#stop;
  }

  /** The first signal lets the current request end, so that the report says what was done; the second ends the process. */
  async do(steps: readonly Step[]): Promise<Report> {
    const onSignal = (signal: NodeJS.Signals) => {
      this.#stop ??= { signal };
      this.#invocation.output.note('\nstops after the current object; press Ctrl+C again to stop at once');
    };
    process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
    try {
      await this.#doAll(steps);
      await this.#mark();
    } catch (error) {
      this.#stop = { error };
    } finally {
      process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
    }
    const done = new Set(
      [...Object.values(RESULTS).flatMap((result) => this.#report[result])].concat(
        this.#report.failed.map(({ object }) => object),
      ),
    );
    this.#report.remaining.push(...steps.map(label).filter((object) => !done.has(object)));
    return this.#report;
  }

  async #doAll(steps: readonly Step[]): Promise<void> {
    for (let left = steps; ; ) {
      const rejected: { step: Step; error: CliError }[] = [];
      for (const step of left) {
        if (this.#stop !== undefined) return;
        const error = await this.#try(step);
        if (error) rejected.push({ step, error });
      }
      // An object may refer to one that came after it; without any progress, the errors are final.
      if (rejected.length === 0 || rejected.length === left.length) {
        this.#report.failed.push(...rejected.map(({ step, error }) => failureOf(step, error)));
        return;
      }
      left = rejected.map(({ step }) => step);
    }
  }

  async #try(step: Step): Promise<CliError | undefined> {
    try {
      await this.#do(step);
      this.#report[RESULTS[step.action]].push(label(step));
      if (step.action !== 'remove' && !step.marked && step.kind.set_by_people === undefined) this.#unmarked.push(step);
      return undefined;
    } catch (error) {
      if (isRejection(error)) return error;
      throw error;
    }
  }

  async #do(step: Step): Promise<void> {
    const { kind, name, action, body, live } = step;
    if (action === 'keep') return;
    if (kind.set_by_people !== undefined) throw missing(step);
    if (kind.folder === 'members') await (action === 'remove' ? assertRemovable : assertRole)(this.#api, step);
    if (action === 'remove') {
      await this.#remove(step);
      return;
    }
    await sendIncluded(this.#api, step.desired?.workflow);
    const { warnings, next } = await kind.write({ api: this.#api, name, body, live, env: this.#invocation.env });
    for (const warning of warnings) this.#report.notes.push(`warning: ${label(step)}: ${warning}`);
    if (next !== undefined) this.#report.notes.push(`${label(step)}: ${next}`);
  }

  async #remove({ kind, name, live }: Step): Promise<void> {
    const path = (live && kind.removalPath?.(live)) ?? pathOf(kind, name);
    try {
      await this.#api.json({ method: 'DELETE', path: this.#api.scoped(path) });
    } catch (error) {
      if (!(error instanceof CliError) || error.code !== 'not_found') throw error;
    }
  }

  /** AppliedNames what was applied, and forgets what is gone. */
  async #mark(): Promise<void> {
    const { applied, steps, unmanaged, unreadable } = this.#plan;
    const removed = new Set(this.#report.removed);
    for (const kind of MARKED) {
      if (unreadable.some((one) => one.kind === kind)) continue;
      const add = this.#unmarked.filter((step) => step.kind === kind).map(({ name }) => name);
      const present = new Set(
        [...steps, ...unmanaged]
          .filter((one) => one.kind === kind && !removed.has(label(one)))
          .flatMap((one) => ('action' in one && one.action === 'create' && !add.includes(one.name) ? [] : [one.name])),
      );
      // A mark without its object, or of a later object of the same name that a person made.
      const byHand = new Set(unmanaged.filter((one) => one.kind === kind).map(({ name }) => name));
      const remove = [...(applied.get(kind.folder)?.keys() ?? [])].filter(
        (name) => !present.has(name) || byHand.has(name),
      );
      if (add.length > 0 || remove.length > 0)
        this.#report.notes.push(...(await changeApplied(this.#api, kind, { add, remove })));
    }
  }
}
