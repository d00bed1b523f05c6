import { decodeCursor, encodeCursor, type Sealer } from '../../../kernel/contracts/index.ts';
import type { RunMasks } from '../../masking/contract.ts';
import type { Reader } from '../store/parts.ts';
import {
  hasRun,
  readRecordedSteps,
  readStepSizes,
  readWaitingSteps,
  type Step,
  type StepPlace,
} from '../store/steps.ts';
import { readTriedSteps } from '../store/step-attempts.ts';
import type { HeldCall } from '../store/under-way.ts';
import { maskedSteps } from './masked.ts';
import { fitting } from '../domain/pages.ts';
import type { ShownStep } from './render.ts';
import { noRun, runId } from './run-views.ts';
import { withChildren } from './step-children.ts';
import type { CallsUnderWay } from './under-way.ts';

interface Scope {
  org_id: string;
  project_id: string;
}

export interface StepViews {
  /** Durable calls by activity and position. Throws `not_found` for an absent or foreign run. */
  list(
    scope: Scope,
    run_id: string,
    page: {
      limit: number;
      cursor: string | undefined;
      /** Only the calls of this activity. */
      within?: string | undefined;
    },
  ): Promise<{ steps: ShownStep[]; next_cursor?: string }>;
}

export interface StepViewsParts {
  on: Reader;
  sealer: Sealer;
  masks: Pick<RunMasks, 'of'>;
  under_way: Pick<CallsUnderWay, 'of'>;
}

export function createStepViews({ on, sealer, masks, under_way }: StepViewsParts): StepViews {
  return {
    async list(scope, run_id, { limit, cursor, within }) {
      const place = decodeCursor(cursor, 'id', 'number');
      const after = { activity_id: place?.[0] ?? within ?? '', position: place?.[1] ?? -1 };
      if (!(await hasRun(on, scope.project_id, runId(run_id)))) throw noRun(run_id);
      await sealer.prepare(scope.org_id);
      // Before the journal, as waits are: see below.
      const calls = await under_way.of(on, run_id);
      const read = await readSteps(on, sealer, scope, run_id, after, limit + 1, calls);
      const { steps, end } = within === undefined ? read : insideOf(within, read);
      // Read after the steps: values that they may show were stored before them.
      const masker = await masks.of({ org_id: scope.org_id, project_id: scope.project_id, run_id });
      const shown = await withChildren({ on, sealer, scope, run_id, calls }, steps.slice(0, limit));
      const kept = await maskedSteps(shown, masker);
      const last = steps.length > limit ? kept.at(-1) : end;
      return { steps: kept, next_cursor: last && encodeCursor(last.activity_id, last.position) };
    },
  };
}

/** What an activity has of a page; it is the last page when that goes beyond the activity. */
function insideOf(activity_id: string, { steps, end }: { steps: Step[]; end: StepPlace | undefined }) {
  const inside = (at: StepPlace) => at.activity_id === activity_id;
  return { steps: steps.filter(inside), end: end && inside(end) ? end : undefined };
}

/**
 * Attempts and waits are read before the journal. A wait that ends in between appears in both, and its record wins; in the other
 * order it would appear in neither.
 */
async function readSteps(
  on: Reader,
  sealer: Sealer,
  scope: Scope,
  run_id: string,
  after: StepPlace,
  limit: number,
  calls: readonly HeldCall[],
) {
  const { tried, cut: triedCut } = await readTriedSteps(on, sealer, scope, run_id, after);
  const waits = await readWaitingSteps(on, run_id, after, limit);
  const { count, cut } = fitting(await readStepSizes(on, run_id, after, limit));
  const records = await readRecordedSteps(on, sealer, scope, run_id, after, count);
  const steps = new Map<string, Step>();
  for (const { open, ...step } of tried) if (open) steps.set(placeOf(step), step);
  for (const step of calls.flatMap(stepOf)) {
    if (byPlace(step, after) > 0) steps.set(placeOf(step), { ...step, ...steps.get(placeOf(step)) });
  }
  const attempts = new Map(tried.map((step) => [placeOf(step), step.attempts]));
  for (const step of [...waits, ...records])
    steps.set(placeOf(step), { ...step, attempts: attempts.get(placeOf(step)) });
  // Up to there everything was read, and it may be that nothing of that is shown.
  const [end] = [...(cut ? records.slice(-1) : []), ...(triedCut ? tried.slice(-1) : [])].sort(byPlace);
  const shown = [...steps.values()].sort(byPlace).filter((step) => !end || byPlace(step, end) <= 0);
  return { end, steps: shown };
}

/** What has a place in a journal is a step; what has none is shown with its activity. */
function stepOf(under_way: HeldCall): (Step & { under_way: HeldCall })[] {
  const { activity_id, activity, epoch, since, call } = under_way;
  const { position, kind, name, ordinal, label = null } = call;
  if (position === undefined) return [];
  const place = { activity_id, activity, position, kind, name, ordinal, label, epoch };
  return [{ ...place, started_at: since, deadline: null, recorded: null, under_way }];
}

const placeOf = ({ activity_id, position }: StepPlace): string => `${activity_id}/${position}`;

const byPlace = (a: StepPlace, b: StepPlace): number =>
  a.activity_id === b.activity_id ? a.position - b.position : a.activity_id < b.activity_id ? -1 : 1;
