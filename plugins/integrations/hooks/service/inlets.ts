import type { Database } from '../../../../kernel/contracts/index.ts';
import type { EventInlets } from '../../../events/bus/contract.ts';
import type { ConnectorManifests } from '../../manifests/contract.ts';
import { hooks } from '../store/hooks.ts';
import { isTrusted } from './trust.ts';

/** Lists the hooks of a project with the types that they record. */
export const hookInlets = (
  database: Pick<Database, 'read'>,
  manifests: Pick<ConnectorManifests, 'find'>,
): EventInlets => ({
  name: 'hooks',
  async list(scope, limit) {
    const { items } = await hooks.page(database, scope, { before: undefined, limit }, (row) => {
      const trusted = isTrusted(manifests, row);
      return {
        kind: 'event-hook',
        name: row.name,
        types: [row.event_type ?? `${row.name}.*`],
        trusted,
        untrusted: !trusted,
      };
    });
    return items;
  },
});
