import type { Expressions } from '../../../../kernel/contracts/index.ts';
import { flowConfigInvalid, type FlowNodeType } from '../../../engine/flows/contract.ts';
import type { RunMasks } from '../../../security/masking/contract.ts';
import { describeErrors } from '../../../platform/schema/contract.ts';
import { type EventBus, readPredicate, toAnyWait, validateAnyWait } from '../contract.ts';
import { parseEmit } from '../verbs/emit-work.ts';

/**
 * The node `{type, key?, payload?}` emits one event per node and item, however often it is retried, and outputs the
 * event's id.
 */
const emit = (bus: Pick<EventBus, 'record'>, masks: Pick<RunMasks, 'of'>): FlowNodeType => ({
  type: 'emit',
  async begin(tx, { org_id, project_id, run_id, generation, trusted, key, config }) {
    const scope = { org_id, project_id, generation, trusted };
    const { key: subject, ...input } = parseEmit(config);
    // Events are looked up by key, so keys are stored in plaintext and must be masked here.
    const masked = subject && (await masks.of({ org_id, project_id, run_id }, tx)).text(subject);
    const event = { ...input, key: masked, ...scope, source: 'emit' as const, source_name: run_id };
    const [result] = await bus.record(tx, [{ ...event, dedup: `flow:${key}`, refusable: true }]);
    return { output: result!.event_id };
  },
});

/**
 * The node `{type, when?, signal?, untrusted?}` waits for an event and outputs its envelope. What `when` reads of the run
 * is read when the node begins.
 */
const waitEvent = (expressions: () => Expressions): FlowNodeType => ({
  type: 'wait_event',
  begin: (_tx, { config: { type, when = null, signal = null, untrusted = false }, scope, timeout_ms }) => ({
    wait: {
      kind: 'wait-event',
      name: typeof type === 'string' ? type : '',
      args: { ...readPredicate(expressions(), when, scope), signal, untrusted },
      timeout_ms,
    },
  }),
});

/**
 * The node `{for}` waits for the first of several signals, events and asks, or for a time, and outputs which came first. What
 * expressions have made of the list is checked when the node begins.
 */
const waitAny = (expressions: () => Expressions): FlowNodeType => ({
  type: 'wait_any',
  begin(_tx, { name, config, scope, timeout_ms }) {
    const list = config.for ?? null;
    const errors = validateAnyWait(list).map(({ pointer, message }) => ({ pointer: `/for${pointer}`, message }));
    if (errors.length > 0) throw flowConfigInvalid(`node ${name}: ${describeErrors(errors)}`);
    return { wait: { timeout_ms, ...toAnyWait(expressions(), list, scope) } };
  },
});

/** The nodes of flows that use the bus. */
export const busNodes = (
  bus: Pick<EventBus, 'record'>,
  masks: Pick<RunMasks, 'of'>,
  expressions: () => Expressions,
): readonly FlowNodeType[] => [emit(bus, masks), waitEvent(expressions), waitAny(expressions)];
