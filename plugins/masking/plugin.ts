import { Database, definePlugin, Ids, Sealer } from '../../kernel/contracts/index.ts';
import { Maskers, RunMasks } from './contract.ts';
import { maskingTables } from './migrations/0001-masking.ts';
import manifest from './plugin.json' with { type: 'json' };
import { createMaskers } from './service/maskers.ts';
import { SealedRunMasks } from './service/run-masks.ts';

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([maskingTables]);
  plugin.bind(Maskers, createMaskers);
  plugin.bind(
    RunMasks,
    (use) =>
      new SealedRunMasks({
        database: use(Database),
        sealer: use(Sealer),
        ids: use(Ids),
        maskers: use(Maskers),
      }),
  );
});
