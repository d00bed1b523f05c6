import type { WebhookView } from '../generated/webhook.ts';
import type { WebhookEntry } from '../store/webhook-table.ts';
import type { Workflow } from './workflow.ts';

/** A webhook as callers see it; of the workflow only kind and file name where it was not opened. */
export function viewOf(entry: WebhookEntry, delivery_url: string, workflow?: Workflow): WebhookView {
  const { name, forge, repo, api_base, credential, auto_register, hook_id, about, created_at, set_at } = entry;
  const shown = workflow ?? (about === null ? undefined : (JSON.parse(about) as { kind: string; filename?: string }));
  return {
    name,
    forge,
    repo,
    ...(api_base === null ? {} : { api_base }),
    delivery_url,
    ...(credential === null ? {} : { credential }),
    registration: auto_register === 0 ? 'manual' : hook_id === null ? 'pending' : 'registered',
    ...(shown === undefined ? {} : { workflow: { ...shown } }),
    created_at: new Date(created_at).toISOString(),
    set_at: new Date(set_at).toISOString(),
  };
}
