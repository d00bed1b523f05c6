import { Database, definePlugin, Ids, provide, Sealer } from '../../../kernel/contracts/index.ts';
import { Maskers, RunMasks } from './contract.ts';
import { maskingTables } from './migrations/0001-masking.ts';
import { expiryColumn } from './migrations/0002-expiry.ts';
import manifest from './plugin.json' with { type: 'json' };
import { createMaskers } from './service/maskers.ts';
import { SealedRunMasks } from './service/run-masks.ts';

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([maskingTables, expiryColumn]);
  plugin.bind(Maskers, createMaskers);
  plugin.bind(RunMasks, provide(SealedRunMasks, { database: Database, sealer: Sealer, ids: Ids, maskers: Maskers }));
});
