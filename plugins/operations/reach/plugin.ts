import { Database, definePlugin, deferred, HttpRoutes, provide } from '../../../kernel/contracts/index.ts';
import { EventInlets } from '../../events/bus/contract.ts';
import { WorkflowHolders } from '../../events/workflows/contract.ts';
import { RunEngine } from '../../engine/runs/contract.ts';
import { CredentialNames } from '../../secrets/credentials/contract.ts';
import { Secrets } from '../../secrets/secrets/contract.ts';
import manifest from './plugin.json' with { type: 'json' };
import { impactRoute } from './routes.ts';
import { ImpactReader } from './service/impact-reader.ts';

const makeReader = provide(ImpactReader, {
  database: Database,
  engine: deferred(RunEngine),
  holders: (use) => () => use.all(WorkflowHolders),
  inlets: (use) => () => use.all(EventInlets),
  secrets: deferred(Secrets),
  credentials: deferred(CredentialNames),
});

export default definePlugin(manifest, (plugin) => {
  plugin.contribute(HttpRoutes, (use) => impactRoute(makeReader(use)));
});
