import type { EventBus } from '../../bus/contract.ts';
import type { RunOrigins } from '../../runs/contract.ts';
import type { RepositorySource } from '../../scripts/contract.ts';
import { eventRepository } from '../domain/event-repository.ts';
import type { JsonObject } from '../domain/places.ts';
import { webhooks } from '../store/webhooks.ts';

export interface RepositoryDeps {
  bus: () => Pick<EventBus, 'read'>;
  origins: () => RunOrigins;
}

/** The repositories of events that webhooks recorded. The source of an event decides, not its type: nobody can emit a push. */
export const forgeRepositories = ({ bus, origins }: RepositoryDeps): RepositorySource => ({
  name: 'forges',
  async of(on, { org_id, project_id, event: own, parent, trusted }, { ref, asked }) {
    const event_id = own ?? (parent === undefined ? undefined : await origins().eventOf(on, project_id, parent));
    if (event_id === undefined) return undefined;
    const event = await bus().read({ org_id, project_id }, event_id, on, 'forge');
    if (!event) return undefined;
    const { type, payload } = event;
    const found = eventRepository({ type, payload, fields: (event.fields ?? {}) as JsonObject });
    if (found === undefined || (!asked && !found.expected)) return undefined;
    const { url, fork, expected: _expected, ...commit } = found;
    if (ref === undefined && commit.sha === undefined && commit.ref === undefined) return undefined;
    const opens = trusted && event.trusted && !fork;
    const webhook = opens ? await webhooks.find(on, { org_id, project_id }, event.source_name) : undefined;
    return { url, ...(ref === undefined ? commit : { ref }), credential: webhook?.credential ?? null };
  },
});
