import type { EventBus } from '../../bus/contract.ts';
import type { PushedRepos } from '../contract.ts';
import { textAt } from '../domain/places.ts';
import { webhooks } from '../store/webhooks.ts';

/** In the body of a push, as both built-in forges and their relatives send it. */
const CLONE_URL = '/body/repository/clone_url';

/** The source of an event decides, not its type: nobody can emit a push. */
export const createPushedRepos = (bus: () => Pick<EventBus, 'read'>): PushedRepos => ({
  async of(on, scope, event_id) {
    const event = await bus().read(scope, event_id, on);
    if (event?.source !== 'forge' || event.type !== 'push') return undefined;
    const url = textAt(event.payload, [CLONE_URL]);
    const sha = event.fields?.sha;
    if (url === undefined || typeof sha !== 'string') return undefined;
    const webhook = event.trusted ? await webhooks.find(on, scope, event.source_name) : undefined;
    return { url, sha, credential: webhook?.credential ?? null };
  },
});
