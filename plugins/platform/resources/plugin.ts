import { Database, definePlugin } from '../../../kernel/contracts/index.ts';
import { Audit } from '../audit/contract.ts';
import { AuditedWrites, createAuditedWrites } from './contract.ts';
import manifest from './plugin.json' with { type: 'json' };

export default definePlugin(manifest, (plugin) => {
  plugin.bind(AuditedWrites, (use) => createAuditedWrites(use(Database), use(Audit)));
});
