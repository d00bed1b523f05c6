import { Errors } from '../../../../kernel/contracts/index.ts';
import type { ForgeEvents } from '../contract.ts';
import { toForgeEvent } from '../domain/event-of.ts';
import { textAt } from '../domain/json-pointer.ts';
import type { Forges } from './forges.ts';

/** Events of deliveries that no webhook took. */
export const createForgeEvents = (forges: Pick<Forges, 'get'>): ForgeEvents => ({
  async createEvent({ forge: name, event, body, repo }) {
    const forge = forges.get(name);
    const { section } = forge;
    const repository = repo ?? textAt(body, [section.repo]);
    if (repository === undefined) {
      const message = `is required, because the body does not name a repository at ${section.repo}`;
      throw Errors.invalidRequest(`repo ${message}`, { errors: [{ pointer: '/repo', message }] });
    }
    const removed_ref = event === section.push.event && forge.isRefRemoved(body);
    return { ...(await toForgeEvent(forge, repository, { event, payload: body })), removed_ref };
  },
});
