import type { FlowNodeType } from '../../flows/contract.ts';
import type { RunMasks } from '../../masking/contract.ts';
import type { EventBus } from '../contract.ts';
import { parseEmit } from '../verbs/emit-work.ts';

/** `{type, key?, payload?}`: one event a node and item, however often it is tried; its id is the output. */
const emit = (bus: Pick<EventBus, 'record'>, masks: Pick<RunMasks, 'of'>): FlowNodeType => ({
  type: 'emit',
  async begin(tx, { org_id, project_id, run_id, generation, trusted, key, config }) {
    const scope = { org_id, project_id, generation, trusted };
    const { key: subject, ...asked } = parseEmit(config);
    // Events are found by their keys, so these are stored as they are.
    const masked = subject && (await masks.of({ org_id, project_id, run_id }, tx)).text(subject);
    const event = { ...asked, key: masked, ...scope, source: 'emit' as const, source_name: run_id };
    const [result] = await bus.record(tx, [{ ...event, dedup: `flow:${key}`, refusable: true }]);
    return { output: result!.event_id };
  },
});

/** `{type, when?, signal?, untrusted?}`: waits for an event; its envelope is the output. */
const waitEvent: FlowNodeType = {
  type: 'wait_event',
  begin: (_tx, { config: { type, when = null, signal = null, untrusted = false }, timeout_ms }) => ({
    wait: {
      kind: 'wait-event',
      name: typeof type === 'string' ? type : '',
      args: { when, signal, untrusted },
      timeout_ms,
    },
  }),
};

/** Nodes of flows that speak with the bus. */
export const busNodes = (bus: Pick<EventBus, 'record'>, masks: Pick<RunMasks, 'of'>): readonly FlowNodeType[] => [
  emit(bus, masks),
  waitEvent,
];
