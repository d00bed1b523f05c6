import { iso } from '../../../../kernel/contracts/index.ts';
import type { WebhookView } from '../generated/webhook.ts';
import type { WebhookEntry } from '../store/webhooks.ts';
import type { Workflow } from '../../../engine/runs/contract.ts';
import { workflowView } from '../../../events/workflows/contract.ts';

/** The visible form of a webhook; without an opened workflow only its kind and file name. */
export function toView(entry: WebhookEntry, delivery_url: string, now: number, workflow?: Workflow): WebhookView {
  const { old_until, old_used_at } = entry;
  const until = old_until !== null && old_until > now ? old_until : undefined;
  const { name, forge, repo, api_base, credential, auto_register, hook_id, about, created_at, set_at } = entry;
  return {
    name,
    forge,
    repo,
    api_base: api_base ?? undefined,
    delivery_url,
    credential: credential ?? undefined,
    registration: auto_register === 0 ? 'manual' : hook_id === null ? 'pending' : 'registered',
    workflow: about === null ? undefined : { ...workflowView(about, workflow) },
    old_secret_until: until === undefined ? undefined : iso(until),
    last_old_secret_use: until === undefined || old_used_at === null ? undefined : iso(old_used_at),
    created_at: iso(created_at),
    set_at: iso(set_at),
  };
}
