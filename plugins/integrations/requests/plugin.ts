import { Clock, definePlugin, Egress, Expressions, Metrics, provide } from '../../../kernel/contracts/index.ts';
import { Executors } from '../../execution/agents/contract.ts';
import { Credentials } from '../../secrets/credentials/contract.ts';
import { FlowNodes } from '../../engine/flows/contract.ts';
import { GraphNodeTypes } from '../../engine/flows/contract.ts';
import { JobEnvironment } from '../../engine/runs/contract.ts';
import { Tracing } from '../../platform/tracing/contract.ts';
import { Maskers } from '../../security/masking/contract.ts';
import { DirectRequests, NodeRequests } from './contract.ts';
import manifest from './plugin.json' with { type: 'json' };
import { DirectSender } from './service/direct-requests.ts';
import { httpGraphNode } from './service/graph-node.ts';
import { createHttpExecutor } from './service/http-executor.ts';
import { httpNode } from './service/http-node.ts';
import { createMeters } from './service/meters.ts';
import { nodeRequests } from './service/node-requests.ts';
import { prepareClaim } from './service/prepare-claim.ts';

export default definePlugin(manifest, (plugin) => {
  const meters = plugin.own((use) => createMeters(use(Metrics), use(Clock)));
  plugin.bind(NodeRequests, () => nodeRequests);
  plugin.bind(
    DirectRequests,
    provide(DirectSender, {
      egress: Egress,
      clock: Clock,
      expressions: Expressions,
      credentials: Credentials,
      maskers: Maskers,
      meters,
    }),
  );
  plugin.contribute(FlowNodes, (use) => httpNode(() => use(NodeRequests)));
  plugin.contribute(GraphNodeTypes, (use) => httpGraphNode(() => use(Expressions)));
  plugin.contribute(JobEnvironment, (use) => prepareClaim(() => use(Credentials)));
  plugin.contribute(
    Executors,
    provide(createHttpExecutor, {
      egress: Egress,
      clock: Clock,
      expressions: Expressions,
      meters,
      tracer: (use) => use(Tracing).on,
    }),
  );
});
