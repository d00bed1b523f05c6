import type { Masker } from '../../../security/masking/contract.ts';
import {
  type FinishedSpan,
  spanIdOf,
  type SpanAttributes,
  stepSpanId,
  type TraceContext,
} from '../../../platform/tracing/contract.ts';
import { idempotencyKey, jobOf, NO_EXECUTOR, type NodeSpan, siteOf } from '../contract.ts';

import type { Fact, PassOutcome, TracedActivityRow, TracedAttemptRow, TracedRunRow } from './facts.ts';

/** A run whose spans are made. */
export interface SpannedRun {
  row: TracedRunRow;
  /** The ID of the run's own span. */
  context: TraceContext;
  /** The id of the span that started it. */
  parent: string | undefined;
  masker: Masker;
}

type Made = Omit<FinishedSpan, 'context' | 'kind' | 'attributes'> & { span_id: string; attributes?: SpanAttributes };

/** Everything of one run has its trace, and names it. */
function spanOf({ row, context, masker }: SpannedRun, { span_id, attributes, name, ...made }: Made): FinishedSpan {
  return {
    ...made,
    name: masker.text(name),
    kind: 'internal',
    context: { ...context, span_id },
    attributes: {
      'svc.run_id': row.run_id,
      'svc.workflow': masker.text(row.workflow),
      'svc.org': row.org,
      'svc.project': row.project,
      ...attributes,
    },
  };
}

export function runSpan(run: SpannedRun): FinishedSpan {
  const { row, context, parent } = run;
  const { workflow, status, started_at, finished_at, created_at, error_code } = row;
  return spanOf(run, {
    ...{ span_id: context.span_id, parent, remote: parent !== undefined, name: `run ${workflow}` },
    ...{ start: created_at, end: finished_at ?? created_at },
    attributes: {
      'svc.kind': row.kind,
      'svc.status': status,
      'svc.trigger': row.trigger_type ?? undefined,
      'svc.parent_run_id': row.parent ?? undefined,
      'svc.rerun_of': row.rerun_of ?? undefined,
      'error.type': status === 'failed' ? (error_code ?? 'failed') : undefined,
    },
    error: status === 'failed' ? (error_code ?? 'failed') : undefined,
    events: started_at === null ? [] : [{ name: 'started', at: started_at }],
  });
}

/** The pause between two attempts of a node is an activity of its own. */
const nodeName = (name: string): string => name.replace(/ pause$/, '');

export const nodeSpanId = (run_id: string, name: string): string => spanIdOf('node', run_id, name);

function parentOf({ row, context }: SpannedRun, { parent, name }: TracedActivityRow): string {
  if (parent !== null) return spanIdOf('activity', parent);
  return row.coordinator === null ? context.span_id : nodeSpanId(row.run_id, nodeName(name));
}

export function activitySpan(run: SpannedRun, activity: TracedActivityRow): FinishedSpan {
  const { activity_id, name, executor, state, created_at, finished_at, error_code, exit_code } = activity;
  const waits = executor === NO_EXECUTOR;
  return spanOf(run, {
    ...{ span_id: spanIdOf('activity', activity_id), parent: parentOf(run, activity) },
    ...{ name: `${waits ? 'wait' : 'activity'} ${name}`, start: created_at, end: finished_at ?? created_at },
    attributes: {
      'svc.activity_id': activity_id,
      'svc.activity': run.masker.text(name),
      'svc.executor': waits ? undefined : executor,
      'svc.state': state,
      'svc.exit_code': exit_code ?? undefined,
      'error.type': state === 'failed' ? (error_code ?? 'failed') : undefined,
    },
    error: state === 'failed' ? (error_code ?? 'failed') : undefined,
  });
}

export const passSpanId = (activity_id: string, epoch: number): string => spanIdOf('pass', activity_id, String(epoch));

export interface EndedPass {
  epoch: number;
  outcome: PassOutcome;
  /** Undefined when another server began it: then it began when its activity could be claimed, or later. */
  started_at: number | undefined;
  at: number;
}

export function passSpan(run: SpannedRun, { activity_id, due }: TracedActivityRow, pass: EndedPass): FinishedSpan {
  const { epoch, outcome, started_at, at } = pass;
  return spanOf(run, {
    ...{ span_id: passSpanId(activity_id, epoch), parent: spanIdOf('activity', activity_id) },
    ...{ name: `pass ${epoch}`, start: started_at ?? Math.min(due, at), end: at },
    attributes: {
      ...{ 'svc.activity_id': activity_id, 'svc.pass': epoch, 'svc.pass.outcome': outcome },
      'svc.pass.start_estimated': started_at === undefined ? true : undefined,
    },
    error: outcome === 'lost' ? 'claim_lost' : undefined,
  });
}

/** A call of the journal: a wait goes on between passes, everything else belongs to the pass that recorded it. */
export function callSpan(
  run: SpannedRun,
  activity: TracedActivityRow,
  { call, epoch, started_at, at }: Extract<Fact, { fact: 'call' }>,
  { waits, attempts }: { waits: boolean; attempts: readonly TracedAttemptRow[] },
): FinishedSpan {
  const { kind, name, exit_code } = call;
  const { activity_id } = activity;
  const key = idempotencyKey({ run_id: run.row.run_id, job: jobOf(run.row, activity) }, call);
  const inPass = !waits && epoch > 0;
  return spanOf(run, {
    span_id: stepSpanId(key),
    parent: inPass ? passSpanId(activity_id, epoch) : spanIdOf('activity', activity_id),
    ...{ name: name === '' ? kind : `${kind} ${name}`, start: Math.min(started_at, ...startsOf(attempts)), end: at },
    attributes: {
      ...{ 'svc.activity_id': activity_id, 'svc.verb': kind, 'svc.site': run.masker.text(siteOf(call)) },
      ...{ 'svc.exit_code': exit_code, 'svc.position': call.position, 'svc.pass': inPass ? epoch : undefined },
      'svc.attempts': attempts.length === 0 ? undefined : attempts.length + 1,
      'error.type': exit_code === 0 ? undefined : `exit_${exit_code}`,
    },
    error: exit_code === 0 ? undefined : `exit_${exit_code}`,
    events: attempts.map(({ attempt, exit_code: code, ended_at }) => ({
      ...{ name: 'attempt failed', at: ended_at },
      attributes: { 'svc.attempt': attempt, 'svc.exit_code': code },
    })),
  });
}

const startsOf = (attempts: readonly TracedAttemptRow[]): number[] => attempts.map(({ started_at }) => started_at);

/** A node of a coordinated run, or one item of it. */
export function nodeSpan(run: SpannedRun, node: NodeSpan): FinishedSpan {
  const { name, of, type, state, attempts, started_at, finished_at, error_code } = node;
  return spanOf(run, {
    span_id: nodeSpanId(run.row.run_id, name),
    parent: of === undefined ? run.context.span_id : nodeSpanId(run.row.run_id, of),
    ...{ name: `node ${name}`, start: started_at ?? finished_at, end: finished_at },
    attributes: {
      ...{ 'svc.node': run.masker.text(name), 'svc.node.type': type, 'svc.state': state, 'svc.attempts': attempts },
      'error.type': state === 'failed' ? (error_code ?? 'failed') : undefined,
    },
    error: state === 'failed' ? (error_code ?? 'failed') : undefined,
  });
}
