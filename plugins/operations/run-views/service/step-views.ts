import { decodeCursor, encodeCursor } from '../../../../kernel/contracts/index.ts';
import {
  type ActivityScope,
  checkRunId,
  type InFlightCall,
  type RunReader,
  runNotFound,
  type Step,
  type StepPosition,
} from '../../../engine/runs/contract.ts';
import type { RunMasks } from '../../../security/masking/contract.ts';
import { maskSteps } from './masked.ts';
import type { LinkedStep } from './render.ts';
import { linkChildren } from './step-children.ts';

interface Scope {
  org_id: string;
  project_id: string;
}

interface Page {
  limit: number;
  cursor: string | undefined;
  /** Only the calls of this activity. */
  activity_id?: string | undefined;
}

interface ReadSteps {
  steps: Step[];
  /** Everything up to there was read, whether it is shown or not; undefined: everything there is. */
  end: StepPosition | undefined;
}

/** Durable calls of runs. */
export class StepViews {
  readonly #reader: RunReader;
  readonly #masks: Pick<RunMasks, 'of'>;

  constructor(reader: RunReader, masks: Pick<RunMasks, 'of'>) {
    this.#reader = reader;
    this.#masks = masks;
  }

  /** By activity and position. Throws `not_found` for an absent or foreign run. */
  async list(
    { org_id, project_id }: Scope,
    id: string,
    { limit, cursor, activity_id }: Page,
  ): Promise<{ steps: LinkedStep[]; next_cursor: string | undefined }> {
    const reader = this.#reader;
    const decoded = decodeCursor(cursor, 'id', 'number');
    const after = { activity_id: decoded?.[0] ?? activity_id ?? '', position: decoded?.[1] ?? -1 };
    const run = { org_id, project_id, run_id: checkRunId(id) };
    if (!(await reader.exists(project_id, run.run_id))) throw runNotFound(run.run_id);
    // Before the journal, for the reason that `#read` gives.
    const in_flight = await reader.inFlight(run.run_id);
    const read = await this.#read(run, after, limit + 1, in_flight);
    const { steps, end } = activity_id === undefined ? read : restrictTo(activity_id, read);
    const linked = await linkChildren({ reader, run, in_flight }, steps.slice(0, limit));
    // Read after the steps: values that they may show were stored before them.
    const masked = await maskSteps(linked, await this.#masks.of(run));
    const last = steps.length > limit ? masked.at(-1) : end;
    return { steps: masked, next_cursor: last && encodeCursor(last.activity_id, last.position) };
  }

  /**
   * Attempts and waits are read before the journal. A wait that ends in between appears in both, and its record wins; in the
   * other order it would appear in neither.
   */
  async #read(
    run: ActivityScope,
    after: StepPosition,
    limit: number,
    in_flight: readonly InFlightCall[],
  ): Promise<ReadSteps> {
    const tried = await this.#reader.triedSteps(run, after);
    const waits = await this.#reader.waitingSteps(run.run_id, after, limit);
    const records = await this.#reader.recordedSteps(run, after, limit);
    const steps = new Map<string, Step>();
    for (const { open, ...step } of tried.steps) if (open) steps.set(toKey(step), step);
    for (const step of in_flight.flatMap(toStep))
      if (compare(step, after) > 0) steps.set(toKey(step), { ...step, ...steps.get(toKey(step)) });
    const attempts = new Map(tried.steps.map((step) => [toKey(step), step.attempts]));
    for (const step of [...waits, ...records.steps])
      steps.set(toKey(step), { ...step, attempts: attempts.get(toKey(step)) });
    const ends = [
      ...(records.truncated ? records.steps.slice(-1) : []),
      ...(tried.truncated ? tried.steps.slice(-1) : []),
    ];
    const [end] = ends.sort(compare);
    return { end, steps: [...steps.values()].sort(compare).filter((step) => !end || compare(step, end) <= 0) };
  }
}

/** What an activity has of a page. The page is the last one when it goes beyond the activity. */
function restrictTo(activity_id: string, { steps, end }: ReadSteps): ReadSteps {
  const isInside = (at: StepPosition) => at.activity_id === activity_id;
  return { steps: steps.filter(isInside), end: end && isInside(end) ? end : undefined };
}

/** A call with a position in a journal is a step. A call without one is shown with its activity. */
function toStep(in_flight: InFlightCall): (Step & { in_flight: InFlightCall })[] {
  const { activity_id, activity, epoch, since, call } = in_flight;
  const { position, kind, name, ordinal, label = null } = call;
  if (position === undefined) return [];
  const step = { activity_id, activity, position, kind, name, ordinal, label, epoch };
  return [{ ...step, started_at: since, deadline: null, recorded: null, in_flight }];
}

const toKey = ({ activity_id, position }: StepPosition): string => `${activity_id}/${position}`;

const compare = (a: StepPosition, b: StepPosition): number =>
  a.activity_id === b.activity_id ? a.position - b.position : a.activity_id < b.activity_id ? -1 : 1;
