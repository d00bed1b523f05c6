import { Database, definePlugin, HttpRoutes, Ids, provide } from '../../../kernel/contracts/index.ts';
import { AuditedWrites } from '../../platform/resources/contract.ts';
import { Secrets } from '../../secrets/secrets/contract.ts';
import { MembershipObservers } from '../../security/access/contract.ts';
import { Maskers } from '../../security/masking/contract.ts';
import { RunFilterCheck, SavedFilters } from '../run-views/contract.ts';
import { viewTable } from './migrations/0001-views.ts';
import manifest from './plugin.json' with { type: 'json' };
import { viewRoutes } from './routes.ts';
import { SavedViews } from './service/saved-views.ts';
import { removeViewsOf } from './store/views.ts';

const makeViews = provide(SavedViews, {
  database: Database,
  ids: Ids,
  writes: AuditedWrites,
  secrets: Secrets,
  maskers: Maskers,
  filters: RunFilterCheck,
});

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([viewTable]);
  const views = plugin.own(makeViews);
  plugin.contribute(HttpRoutes, (use) => viewRoutes(views(use)));
  plugin.contribute(SavedFilters, (use) => views(use));
  plugin.contribute(MembershipObservers, () => ({
    name: 'saved-views',
    onRemoved: (tx, membership) => removeViewsOf(tx, membership),
  }));
});
