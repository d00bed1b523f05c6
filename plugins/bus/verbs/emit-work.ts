import { hash } from 'node:crypto';
import { type BatchOutcome, Errors, isServiceError, type Sealer } from '../../../kernel/contracts/index.ts';
import type { CallContext, JournaledVerb, Json, WaitOutcome } from '../../runs/contract.ts';
import { type EmitResult, type EventBus, keyFault } from '../contract.ts';
import { checkType, DEDUP_LENGTH } from '../domain/event-rules.ts';

/** Refusals that count as outcomes: a later emit may succeed. */
const CEILINGS: ReadonlySet<string> = new Set(['chain_too_deep', 'handlers_in_flight']);

/**
 * `svc emit` in scripts: args `{type, key?, payload?, site?}`. One position, one event (I6): the position is the deduplication
 * key. A refusal by a limit is recorded as the outcome, because a script may continue after it and its next calls must
 * keep their positions on replay; it tries again with another emit.
 */
export function emitWork(sealer: Sealer, bus: Pick<EventBus, 'record' | 'ahead'>): JournaledVerb {
  return {
    kind: 'emit',
    async prepare(context, args, fresh) {
      await sealer.prepare(context.org_id);
      return bus.ahead(eventOf(context, args), fresh);
    },
    async perform(tx, context, args, prepared) {
      const known = prepared as BatchOutcome<EmitResult> | undefined;
      if (known) return 'ok' in known ? emitted(known.ok) : refusal(known.error);
      try {
        const [result] = await bus.record(tx, [eventOf(context, args)]);
        return emitted(result!);
      } catch (error) {
        return refusal(error);
      }
    },
  };
}

function eventOf(context: CallContext, args: Json) {
  const { org_id, project_id, run_id, activity_id, position, generation, trusted } = context;
  return {
    ...parseEmit(args),
    ...{ org_id, project_id, generation, trusted },
    source: 'emit' as const,
    source_name: run_id,
    dedup: siteOf(run_id, args) ?? `run:${run_id}/${activity_id}/${position}`,
    refusable: true,
  };
}

/**
 * Named by callers whose activities are repeated from the start: the same place of every attempt is one event. A place
 * that is too long for the key goes into it as its digest.
 */
function siteOf(run_id: string, args: Json): string | undefined {
  const site = args !== null && typeof args === 'object' && !Array.isArray(args) ? args.site : undefined;
  if (typeof site !== 'string' || site.length === 0) return undefined;
  const dedup = `run:${run_id}/site:${site}`;
  return dedup.length <= DEDUP_LENGTH ? dedup : `run:${run_id}/site:sha256:${hash('sha256', site, 'hex')}`;
}

const emitted = ({ event_id }: EmitResult): WaitOutcome => ({ exit_code: 0, output: Buffer.from(`${event_id}\n`) });

function refusal(error: unknown): WaitOutcome {
  if (!isServiceError(error) || !CEILINGS.has(error.code)) throw error;
  return { exit_code: 1, output: Buffer.alloc(0), message: `${error.code}: ${error.message}` };
}

/** The event that `{type, key?, payload?}` asks for. Throws `invalid_request` and `event_type_invalid`. */
export function parseEmit(args: Json): { type: string; key: string | null; payload: Json } {
  const given = args !== null && typeof args === 'object' && !Array.isArray(args) ? args : {};
  const { type, key = null, payload = null } = given;
  if (typeof type !== 'string') throw Errors.invalidRequest('emit needs a type that is a text');
  checkType(type);
  if (key !== null && typeof key !== 'string') throw Errors.invalidRequest('the key of an event must be a text');
  const fault = key === null ? undefined : keyFault(key);
  if (fault !== undefined) throw Errors.invalidRequest(`key ${fault}`);
  return { type, key, payload };
}
