import type { EventBus } from '../../../events/bus/contract.ts';
import type { RunOrigins } from '../../../engine/runs/contract.ts';
import type { RepositorySource } from '../../../execution/scripts/contract.ts';
import { eventRepository } from '../domain/event-repository.ts';
import type { JsonObject } from '../domain/json-pointer.ts';
import { isOnForge } from '../domain/server-origin.ts';
import { type WebhookEntry, webhooks } from '../store/webhooks.ts';
import type { Forges } from './forges.ts';

export interface RepositoryDeps {
  bus: () => Pick<EventBus, 'read'>;
  origins: () => RunOrigins;
  forges: Pick<Forges, 'find'>;
}

/**
 * Finds the repositories of events that webhooks recorded. It goes by the source of an event, because anybody can emit
 * a type.
 */
export const forgeRepositories = ({ bus, origins, forges }: RepositoryDeps): RepositorySource => ({
  name: 'forges',
  async find(on, { org_id, project_id, event: own, parent, trusted }, { ref, requested }) {
    const event_id = own ?? (parent === undefined ? undefined : await origins().eventOf(on, project_id, parent));
    if (event_id === undefined) return undefined;
    const event = await bus().read({ org_id, project_id }, event_id, on, 'forge');
    if (!event) return undefined;
    const { type, payload } = event;
    const repository = eventRepository({ type, payload, fields: (event.fields ?? {}) as JsonObject });
    if (repository === undefined || (!requested && !repository.expected)) return undefined;
    const { url, fork, expected: _expected, ...commit } = repository;
    if (ref === undefined && commit.sha === undefined && commit.ref === undefined) return undefined;
    const opens = trusted && event.trusted && !fork;
    const webhook = opens ? await webhooks.find(on, { org_id, project_id }, event.source_name) : undefined;
    return { url, ...(ref === undefined ? commit : { ref }), credential: credentialFor(webhook, url, forges) };
  },
});

/** The webhook's credential, unless the delivery names a repository on another server than the one that it is for. */
function credentialFor(
  webhook: WebhookEntry | undefined,
  url: string,
  forges: RepositoryDeps['forges'],
): string | null {
  if (!webhook) return null;
  const api_base = webhook.api_base ?? forges.find(webhook.forge)?.section.api?.base;
  return isOnForge(url, api_base) ? webhook.credential : null;
}
