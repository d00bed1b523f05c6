import type { Transaction } from '../../../../kernel/contracts/index.ts';
import type { Delivery, EventReaction, PendingEvent, ProjectScope, StoredEvent } from '../../../events/bus/contract.ts';
import type { HandlerMatches } from '../../../events/handlers/contract.ts';
import type { RunCreation } from '../../../engine/runs/contract.ts';
import type { PlannedRun, StoredWorkflows } from '../../../events/workflows/contract.ts';
import { removedRef } from '../domain/event-of.ts';
import { type WebhookRow, webhooks } from '../store/webhooks.ts';
import type { Forges } from './forges.ts';
import { workflowContext } from './sealed.ts';
import { toWorkflowStart } from './workflow.ts';

export interface InlineDeps {
  workflows: StoredWorkflows;
  creation: Pick<RunCreation, 'createIn' | 'untrustedRefusal'>;
  handlers: HandlerMatches;
  forges: Pick<Forges, 'find'>;
}

type Plan = Extract<PlannedRun, { run: unknown }> | Pick<Delivery, 'state' | 'reason'>;
type Planned = { event: StoredEvent; plan: Plan };

const PUSH = 'push';

/** Runs the workflow of a webhook at its pushes, unless a handler matches them. */
export function inlineWorkflows(deps: InlineDeps): EventReaction<Plan> {
  return {
    name: 'webhooks',
    precedence: 200,
    async decide(tx, scope, events) {
      const plans: { plan: Plan | undefined }[] = [];
      let handlers: readonly string[] | undefined;
      for (const event of events) {
        const webhook = await workflowFor(tx, scope, event);
        handlers ??= webhook && (await deps.handlers.listMatching(tx, scope, PUSH));
        plans.push({ plan: webhook && (await planRun(deps, tx, webhook, event, handlers ?? [])) });
      }
      return plans;
    },
    apply: (tx, _scope, planned) => apply(deps, tx, planned),
  };
}

async function workflowFor(tx: Transaction, scope: ProjectScope, event: PendingEvent): Promise<WebhookRow | undefined> {
  if (event.type !== PUSH || event.source !== 'forge') return undefined;
  const webhook = await webhooks.find(tx, scope, event.source_name);
  return webhook?.workflow === null ? undefined : webhook;
}

async function planRun(
  deps: InlineDeps,
  tx: Transaction,
  webhook: WebhookRow,
  event: PendingEvent,
  handlers: readonly string[],
): Promise<Plan> {
  const [handler] = handlers;
  if (handler !== undefined) return { state: 'declined', reason: `the handler ${handler} matches pushes` };
  const forge = deps.forges.find(webhook.forge);
  if (forge && removedRef(forge, event.payload)) return { state: 'declined', reason: 'the ref was deleted' };
  const workflow = deps.workflows.open(workflowContext(webhook), webhook.workflow!);
  const planned = await deps.workflows.plan(tx, webhook, workflow, toWorkflowStart(webhook, event));
  if (!('run' in planned)) return { state: 'refused', reason: planned.refusal_reason };
  // The push is recorded, and may be delivered again.
  const rejection = event.trusted ? undefined : await deps.creation.untrustedRefusal(tx, webhook);
  return rejection ? { state: 'refused', reason: `${rejection.code}: ${rejection.message}` } : planned;
}

async function apply({ creation }: InlineDeps, tx: Transaction, planned: readonly Planned[]): Promise<Delivery[]> {
  const runs = planned.flatMap(({ plan }) => ('run' in plan ? [plan.run] : []));
  if (runs.length > 0) await creation.createIn(tx, runs);
  return planned.map(({ event, plan }) => {
    const base = { event_id: event.event_id, reaction: 'webhook', name: event.source_name };
    return 'run' in plan ? { ...base, state: 'delivered', run_id: plan.run.run_id } : { ...base, ...plan };
  });
}
