import type { Transaction } from '../../../kernel/contracts/index.ts';
import type { Delivery, EventReaction, PendingEvent, ProjectScope, StoredEvent } from '../../bus/contract.ts';
import type { HandlerMatches } from '../../handlers/contract.ts';
import type { RunCreation } from '../../runs/contract.ts';
import type { PlannedRun, StoredWorkflows } from '../../workflows/contract.ts';
import { removedRef } from '../domain/event-of.ts';
import { type WebhookRow, webhooks } from '../store/webhooks.ts';
import type { Forges } from './forges.ts';
import { workflowPlace } from './sealed.ts';
import { startOf } from './workflow.ts';

export interface InlineParts {
  workflows: StoredWorkflows;
  creation: Pick<RunCreation, 'createIn' | 'untrustedRefusal'>;
  handlers: HandlerMatches;
  forges: Pick<Forges, 'find'>;
}

type Plan = Extract<PlannedRun, { run: unknown }> | Pick<Delivery, 'state' | 'reason'>;
type Planned = { event: StoredEvent; plan: Plan };

const PUSH = 'push';

/** Runs the workflow of a webhook at its pushes, unless a handler matches them. */
export function inlineWorkflows(parts: InlineParts): EventReaction<Plan> {
  return {
    name: 'webhooks',
    precedence: 200,
    async decide(tx, scope, events) {
      const plans: { plan: Plan | undefined }[] = [];
      let takers: readonly string[] | undefined;
      for (const event of events) {
        const webhook = await workflowFor(tx, scope, event);
        takers ??= webhook && (await parts.handlers.matching(tx, scope, PUSH));
        plans.push({ plan: webhook && (await planFor(parts, tx, webhook, event, takers ?? [])) });
      }
      return plans;
    },
    apply: (tx, _scope, planned) => apply(parts, tx, planned),
  };
}

async function workflowFor(tx: Transaction, scope: ProjectScope, event: PendingEvent): Promise<WebhookRow | undefined> {
  if (event.type !== PUSH || event.source !== 'forge') return undefined;
  const webhook = await webhooks.find(tx, scope, event.source_name);
  return webhook?.workflow === null ? undefined : webhook;
}

async function planFor(
  parts: InlineParts,
  tx: Transaction,
  webhook: WebhookRow,
  event: PendingEvent,
  takers: readonly string[],
): Promise<Plan> {
  const [taker] = takers;
  if (taker !== undefined) return { state: 'declined', reason: `the handler ${taker} matches pushes` };
  const forge = parts.forges.find(webhook.forge);
  if (forge && removedRef(forge, event.payload)) return { state: 'declined', reason: 'the ref was deleted' };
  const workflow = parts.workflows.open(workflowPlace(webhook), webhook.workflow!);
  const planned = await parts.workflows.plan(tx, webhook, workflow, startOf(webhook, event));
  if (!('run' in planned)) return { state: 'refused', reason: planned.refused };
  // The push is recorded, and may be delivered again.
  const beyond = event.trusted ? undefined : await parts.creation.untrustedRefusal(tx, webhook);
  return beyond ? { state: 'refused', reason: `${beyond.code}: ${beyond.message}` } : planned;
}

async function apply({ creation }: InlineParts, tx: Transaction, planned: readonly Planned[]): Promise<Delivery[]> {
  const runs = planned.flatMap(({ plan }) => ('run' in plan ? [plan.run] : []));
  if (runs.length > 0) await creation.createIn(tx, runs);
  return planned.map(({ event, plan }) => {
    const about = { event_id: event.event_id, reaction: 'webhook', name: event.source_name };
    return 'run' in plan ? { ...about, state: 'delivered', run_id: plan.run.run_id } : { ...about, ...plan };
  });
}
