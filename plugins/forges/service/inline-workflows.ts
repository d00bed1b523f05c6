import { isServiceError, type Sealer, type Transaction } from '../../../kernel/contracts/index.ts';
import type { Delivery, EventReaction, PendingEvent, ProjectScope, StoredEvent } from '../../bus/contract.ts';
import type { HandlerMatches } from '../../handlers/contract.ts';
import type { NewRun, RunCreation } from '../../runs/contract.ts';
import { removedRef } from '../domain/event-of.ts';
import { readWebhook, type WebhookRow } from '../store/webhook-table.ts';
import type { Forges } from './forges.ts';
import { openWorkflow } from './sealed.ts';
import { runOf } from './workflow.ts';

export interface InlineParts {
  sealer: Pick<Sealer, 'open'>;
  creation: Pick<RunCreation, 'plan' | 'createIn'>;
  handlers: HandlerMatches;
  forges: Pick<Forges, 'find'>;
}

type Plan = { run: NewRun } | Pick<Delivery, 'state' | 'reason'>;
type Planned = { event: StoredEvent; plan: Plan };

const PUSH = 'push';

/** Runs the workflow of a webhook at its pushes, where no handler takes pushes. */
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
        plans.push({ plan: webhook && planFor(parts, webhook, event, takers ?? []) });
      }
      return plans;
    },
    apply: (tx, _scope, planned) => apply(parts, tx, planned),
  };
}

async function workflowFor(tx: Transaction, scope: ProjectScope, event: PendingEvent): Promise<WebhookRow | undefined> {
  if (event.type !== PUSH || event.source !== 'forge') return undefined;
  const webhook = await readWebhook(tx, scope, event.source_name);
  return webhook?.workflow === null ? undefined : webhook;
}

function planFor(parts: InlineParts, webhook: WebhookRow, event: PendingEvent, takers: readonly string[]): Plan {
  const [taker] = takers;
  if (taker !== undefined) return { state: 'declined', reason: `the handler ${taker} takes pushes` };
  const forge = parts.forges.find(webhook.forge);
  if (forge && removedRef(forge, event.payload)) return { state: 'declined', reason: 'the ref was removed' };
  try {
    const workflow = openWorkflow(parts.sealer as Sealer, webhook, webhook.workflow!);
    return { run: parts.creation.plan(runOf(webhook, workflow, event)) };
  } catch (error) {
    if (!isServiceError(error) || error.status >= 500) throw error;
    return { state: 'refused', reason: `${error.code}: ${error.message}` };
  }
}

async function apply({ creation }: InlineParts, tx: Transaction, planned: readonly Planned[]): Promise<Delivery[]> {
  const runs = planned.flatMap(({ plan }) => ('run' in plan ? [plan.run] : []));
  if (runs.length > 0) await creation.createIn(tx, runs);
  return planned.map(({ event, plan }) => {
    const about = { event_id: event.event_id, reaction: 'webhook', name: event.source_name };
    return 'run' in plan ? { ...about, state: 'delivered', run_id: plan.run.run_id } : { ...about, ...plan };
  });
}
