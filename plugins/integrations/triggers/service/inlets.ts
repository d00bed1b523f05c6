import type { Database } from '../../../../kernel/contracts/index.ts';
import type { EventInlets } from '../../../events/bus/contract.ts';
import type { ConnectorTriggers } from '../../connectors/contract.ts';
import { triggers } from '../store/triggers.ts';

/** Lists the triggers of a project with the types that they record. One whose connector is gone may have recorded any. */
export const triggerInlets = (database: Pick<Database, 'read'>, sources: ConnectorTriggers): EventInlets => ({
  name: 'triggers',
  async list(scope, limit) {
    const { items } = await triggers.page(
      database,
      scope,
      { before: undefined, limit },
      ({ name, connector, source }) => {
        const { event, trusted = true } = sources.find(connector, source)?.described ?? {};
        return { kind: 'trigger', name, types: event ? [event.type] : [], trusted, untrusted: !trusted };
      },
    );
    return items;
  },
});
