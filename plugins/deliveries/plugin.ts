import {
  Clock,
  Database,
  definePlugin,
  Ids,
  Log,
  type Resolve,
  Sealer,
  SERVER_ROLES,
} from '../../kernel/contracts/index.ts';
import { EventBus, EventReactions } from '../bus/contract.ts';
import { AuditedWrites } from '../resources/contract.ts';
import { Prunables } from '../retention/contract.ts';
import { DeliveryLog } from './contract.ts';
import { deliveryTable } from './migrations/0001-deliveries.ts';
import manifest from './plugin.json' with { type: 'json' };
import { deliveryRoutes } from './routes.ts';
import { Redelivery } from './service/redelivery.ts';
import { deliveryReaction } from './service/reaction.ts';
import { RefusedDeliveries } from './service/refused.ts';
import { prunableDeliveries } from './store/prune.ts';

const makeRefused = (use: Resolve) =>
  new RefusedDeliveries({
    database: use(Database),
    ids: use(Ids),
    clock: use(Clock),
    log: use(Log).child({ part: 'deliveries' }),
  });

const makeRedelivery = (use: Resolve) =>
  new Redelivery({
    database: use(Database),
    sealer: use(Sealer),
    ids: use(Ids),
    writes: use(AuditedWrites),
    bus: () => use(EventBus),
  });

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([deliveryTable]);
  const refused = plugin.own(makeRefused);
  const redelivery = plugin.own(makeRedelivery);
  plugin.bind(DeliveryLog, (use) => ({
    refused: (delivery) => refused(use).note(delivery),
    routes: (resource) => deliveryRoutes(resource, { database: use(Database), redelivery: redelivery(use) }),
  }));
  plugin.contribute(EventReactions, () => deliveryReaction);
  plugin.contribute(Prunables, (use) => prunableDeliveries(use(Database)));
  plugin.onStart(SERVER_ROLES, async (use) => refused(use).start());
});
