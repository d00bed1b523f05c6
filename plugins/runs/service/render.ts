import { isUtf8 } from 'node:buffer';
import { type Run, siteOf } from '../contract.ts';
import type { CellRecord } from '../generated/cell.ts';
import type { RunRecord } from '../generated/run.ts';
import type { StepRecord } from '../generated/step.ts';

/** ISO 8601 with milliseconds, in UTC. */
export const isoTime = (ms: number): string => new Date(ms).toISOString();

/** The page of a run, or nothing without a public URL: the specification wants it absent then. */
export function runUrl(public_url: string | undefined, scope: { org: string; project: string }, run_id: string) {
  if (public_url === undefined) return undefined;
  return `${public_url.replace(/\/+$/, '')}/orgs/${scope.org}/projects/${scope.project}/runs/${run_id}`;
}

/** A durable call as the steps view shows it; times are epoch ms. */
export interface Step {
  activity_id: string;
  activity: string;
  position: number;
  kind: string;
  name: string;
  ordinal: number;
  label: string | null;
  started_at: number;
  /** Null while the call waits. */
  recorded: { at: number; exit_code: number; output: Buffer; message: string | null } | null;
  deadline: number | null;
  child?: StepChild;
}

/** The activity that a call asked for. */
export interface StepChild {
  activity_id: string;
  state: 'queued' | 'running' | 'waiting' | 'ended' | 'cancelled';
  requires?: string[];
  exit_code?: number;
  agent_id?: string;
}

export interface Cell {
  entity: string;
  key: string;
  value?: string;
  updated_at: number;
}

/** Absent instead of null: members without a value are left out of every answer. */
const present = <T, K extends string>(key: K, value: T | null | undefined): { [P in K]?: T } =>
  value === null || value === undefined ? {} : ({ [key]: value } as { [P in K]?: T });

const time = <K extends string>(key: K, ms: number | null | undefined): { [P in K]?: string } =>
  present(key, ms === null || ms === undefined ? undefined : isoTime(ms));

export function renderRun(run: Run, run_url: string | undefined): RunRecord {
  return {
    run_id: run.run_id,
    kind: run.kind,
    ...present('workflow_type', run.workflow_type),
    workflow: run.workflow,
    status: run.status,
    ...(run.substate === null ? {} : { substate: renderSubstate(run.substate) }),
    ...present('subject', run.subject),
    tags: run.tags,
    trigger: run.trigger,
    trusted: run.trusted,
    ...present('parent', run.parent),
    ...present('rerun_of', run.rerun_of),
    generation: run.generation,
    created_at: isoTime(run.created_at),
    ...time('started_at', run.started_at),
    ...time('finished_at', run.finished_at),
    ...(run.status === 'succeeded' ? { output: run.output } : {}),
    ...present('error', run.error),
    ...present('reason', run.cancel_reason),
    ...present('cancelled_by', run.cancelled_by),
    ...(run.cancel_on.length > 0 ? { cancel_on: run.cancel_on } : {}),
    ...(run.requires && run.requires.length > 0 ? { requires: run.requires } : {}),
    ...present('credentials', run.credentials),
    annotations: run.annotations,
    ...present('run_url', run_url),
  };
}

function renderSubstate({ kind, name, since, deadline }: NonNullable<Run['substate']>) {
  return { kind, name, since: isoTime(since), ...time('deadline', deadline) };
}

export function renderStep(step: Step): StepRecord {
  const { position, kind, name, ordinal } = step;
  return {
    position,
    kind,
    name,
    ordinal,
    site: siteOf(step),
    ...present('label', step.label),
    status: step.recorded ? 'recorded' : 'waiting',
    ...(step.recorded ? renderRecorded(step.recorded) : {}),
    started_at: isoTime(step.started_at),
    ...time('recorded_at', step.recorded?.at),
    ...time('deadline', step.deadline),
    ...present('child', step.child),
    activity_id: step.activity_id,
    activity: step.activity,
  };
}

function renderRecorded({ exit_code, output, message }: NonNullable<Step['recorded']>) {
  const stdout = isUtf8(output) ? { stdout: output.toString() } : { stdout_base64: output.toString('base64') };
  return { exit_code, ...stdout, ...present('message', message) };
}

export function renderCell({ entity, key, value, updated_at }: Cell): CellRecord {
  return { entity, key, ...present('value', value), updated_at: isoTime(updated_at) };
}
