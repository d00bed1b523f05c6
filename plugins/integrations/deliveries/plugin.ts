import {
  childLog,
  Clock,
  Database,
  deferred,
  definePlugin,
  Ids,
  provide,
  Sealer,
  SERVER_ROLES,
} from '../../../kernel/contracts/index.ts';
import { EventBus, EventReactions } from '../../events/bus/contract.ts';
import { AuditedWrites } from '../../platform/resources/contract.ts';
import { Prunables } from '../../platform/retention/contract.ts';
import { DeliveryLog } from './contract.ts';
import { deliveryTable } from './migrations/0001-deliveries.ts';
import manifest from './plugin.json' with { type: 'json' };
import { deliveryRoutes } from './routes.ts';
import { Redelivery } from './service/redelivery.ts';
import { deliveryReaction } from './service/reaction.ts';
import { RejectedDeliveries } from './service/rejected-deliveries.ts';
import { prunableDeliveries } from './store/prune.ts';

const makeRefused = provide(RejectedDeliveries, {
  database: Database,
  ids: Ids,
  clock: Clock,
  log: childLog('deliveries'),
});

const makeRedelivery = provide(Redelivery, {
  database: Database,
  sealer: Sealer,
  ids: Ids,
  writes: AuditedWrites,
  bus: deferred(EventBus),
});

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([deliveryTable]);
  const refused = plugin.own(makeRefused);
  const redelivery = plugin.own(makeRedelivery);
  plugin.bind(DeliveryLog, (use) => ({
    recordRejection: (delivery) => refused(use).record(delivery),
    routes: (resource) => deliveryRoutes(resource, { database: use(Database), redelivery: redelivery(use) }),
  }));
  plugin.contribute(EventReactions, () => deliveryReaction);
  plugin.contribute(Prunables, (use) => prunableDeliveries(use(Database)));
  plugin.onStart(SERVER_ROLES, async (use) => refused(use).start());
});
