import { Errors, isServiceError, type Sealer } from '../../../kernel/contracts/index.ts';
import type { JournaledVerb, Json } from '../../runs/contract.ts';
import { type EventBus, keyFault } from '../contract.ts';
import { checkType } from '../domain/event-rules.ts';

/** Refusals that are answers: another emit, later, may come to another. */
const CEILINGS: ReadonlySet<string> = new Set(['chain_too_deep', 'handlers_in_flight']);

/**
 * `svc emit` of scripts: args `{type, key?, payload?}`. One position, one event (I6): the run's place is the text
 * against doubles. A ceiling's refusal is recorded as the outcome of that emit, for a script may go on after it, and what
 * it then does must have the same position on replay; it tries again with a further emit.
 */
export function emitVerb(sealer: Sealer, bus: Pick<EventBus, 'record'>): JournaledVerb {
  return {
    kind: 'emit',
    prepare: (context) => sealer.prepare(context.org_id),
    async perform(tx, context, args) {
      const { org_id, project_id, run_id, activity_id, position, generation, trusted } = context;
      const event = {
        ...parse(args),
        org_id,
        project_id,
        source: 'emit' as const,
        source_name: run_id,
        generation,
        trusted,
        dedup: `run:${run_id}/${activity_id}/${position}`,
        refusable: true,
      };
      try {
        const [result] = await bus.record(tx, [event]);
        return { exit_code: 0, output: Buffer.from(`${result!.event_id}\n`) };
      } catch (error) {
        if (!isServiceError(error) || !CEILINGS.has(error.code)) throw error;
        return { exit_code: 1, output: Buffer.alloc(0), message: `${error.code}: ${error.message}` };
      }
    },
  };
}

function parse(args: Json): { type: string; key: string | null; payload: Json } {
  const given = args !== null && typeof args === 'object' && !Array.isArray(args) ? args : {};
  const { type, key = null, payload = null } = given;
  if (typeof type !== 'string') throw Errors.invalidRequest('emit needs a type, as text');
  checkType(type);
  if (key !== null && typeof key !== 'string') throw Errors.invalidRequest('the key of an event is text');
  const fault = key === null ? undefined : keyFault(key);
  if (fault !== undefined) throw Errors.invalidRequest(`key ${fault}`);
  return { type, key, payload };
}
