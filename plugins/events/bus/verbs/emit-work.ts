import { hash } from 'node:crypto';
import { type BatchOutcome, Errors, isServiceError, type Sealer } from '../../../../kernel/contracts/index.ts';
import type { CallContext, JournaledVerb, Json, WaitOutcome } from '../../../engine/runs/contract.ts';
import { type EmitResult, type EventBus, validateEventKey } from '../contract.ts';
import { assertEventType, DEDUP_LENGTH } from '../domain/event-rules.ts';

/** Rejections that count as outcomes, because a later emit may succeed. */
const RECORDED_REJECTIONS: ReadonlySet<string> = new Set(['chain_too_deep', 'handlers_in_flight']);

/**
 * Performs `svc emit` of scripts, with the arguments `{type, key?, payload?, site?}`. One position emits one event
 * (I6): the position is the deduplication key. A rejection by a limit is recorded as the outcome, because a script
 * may continue after it and its next calls must keep their positions on replay; a script retries with another emit.
 */
export function emitJournaledVerb(sealer: Sealer, bus: Pick<EventBus, 'record' | 'recordRemotely'>): JournaledVerb {
  return {
    kind: 'emit',
    async prepare(context, args, isCurrent) {
      await sealer.prepare(context.org_id);
      return bus.recordRemotely(buildEvent(context, args), isCurrent);
    },
    async perform(tx, context, args, prepared) {
      const remote_outcome = prepared as BatchOutcome<EmitResult> | undefined;
      if (remote_outcome)
        return 'ok' in remote_outcome ? successOutcome(remote_outcome.ok) : rejectionOutcome(remote_outcome.error);
      try {
        const [result] = await bus.record(tx, [buildEvent(context, args)]);
        return successOutcome(result!);
      } catch (error) {
        return rejectionOutcome(error);
      }
    },
  };
}

function buildEvent(context: CallContext, args: Json) {
  const { org_id, project_id, run_id, activity_id, position, generation, trusted } = context;
  return {
    ...parseEmit(args),
    org_id,
    project_id,
    generation,
    trusted,
    source: 'emit' as const,
    source_name: run_id,
    dedup: siteDedup(run_id, args) ?? `run:${run_id}/${activity_id}/${position}`,
    refusable: true,
  };
}

/**
 * Callers whose activities restart from the beginning name their call sites: the same site of every attempt emits one
 * event. A site that is too long for the key is replaced by its digest.
 */
function siteDedup(run_id: string, args: Json): string | undefined {
  const site = args !== null && typeof args === 'object' && !Array.isArray(args) ? args.site : undefined;
  if (typeof site !== 'string' || site.length === 0) return undefined;
  const dedup = `run:${run_id}/site:${site}`;
  return dedup.length <= DEDUP_LENGTH ? dedup : `run:${run_id}/site:sha256:${hash('sha256', site, 'hex')}`;
}

const successOutcome = ({ event_id }: EmitResult): WaitOutcome => ({
  exit_code: 0,
  output: Buffer.from(`${event_id}\n`),
});

function rejectionOutcome(error: unknown): WaitOutcome {
  if (!isServiceError(error) || !RECORDED_REJECTIONS.has(error.code)) throw error;
  return { exit_code: 1, output: Buffer.alloc(0), message: `${error.code}: ${error.message}` };
}

/** Parses the arguments `{type, key?, payload?}`. Throws `invalid_request` and `event_type_invalid`. */
export function parseEmit(args: Json): { type: string; key: string | null; payload: Json } {
  const members = args !== null && typeof args === 'object' && !Array.isArray(args) ? args : {};
  const { type, key = null, payload = null } = members;
  if (typeof type !== 'string') throw Errors.invalidRequest("an event's type must be a string");
  assertEventType(type);
  if (key !== null && typeof key !== 'string') throw Errors.invalidRequest("an event's key must be a string");
  const problem = key === null ? undefined : validateEventKey(key);
  if (problem !== undefined) throw Errors.invalidRequest(`key ${problem}`);
  return { type, key, payload };
}
