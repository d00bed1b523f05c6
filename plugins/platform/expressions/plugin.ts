import { Clock, definePlugin, Expressions, SERVER_ROLES } from '../../../kernel/contracts/index.ts';
import { DocumentWorkers } from './contract.ts';
import { createExpressions } from './create-expressions.ts';
import manifest from './plugin.json' with { type: 'json' };
import { DocumentWorkerPool } from './workers/pool.ts';

export default definePlugin(manifest, (plugin) => {
  const pool = plugin.own((use) => new DocumentWorkerPool(use(Clock)));
  plugin.bind(Expressions, () => createExpressions());
  plugin.bind(DocumentWorkers, (use) => pool(use));
  plugin.onStart(SERVER_ROLES, async (use) => () => pool(use).close());
});
