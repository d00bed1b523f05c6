import { Clock, definePlugin, Egress, Metrics } from '../../kernel/contracts/index.ts';
import { Executors } from '../agents/contract.ts';
import { Credentials } from '../credentials/contract.ts';
import { FlowNodes } from '../flows/contract.ts';
import { GraphNodeTypes } from '../graphs/contract.ts';
import { ClaimPreparations } from '../runs/contract.ts';
import { Tracing } from '../tracing/contract.ts';
import { NodeRequests } from './contract.ts';
import manifest from './plugin.json' with { type: 'json' };
import { httpGraphNode } from './service/graph-node.ts';
import { createHttpExecutor } from './service/http-executor.ts';
import { httpNode } from './service/http-node.ts';
import { createMeters } from './service/meters.ts';
import { nodeRequests } from './service/node-requests.ts';
import { prepareClaim } from './service/prepare-claim.ts';

export default definePlugin(manifest, (plugin) => {
  plugin.bind(NodeRequests, () => nodeRequests);
  plugin.contribute(FlowNodes, (use) => httpNode(() => use(NodeRequests)));
  plugin.contribute(GraphNodeTypes, () => httpGraphNode);
  plugin.contribute(ClaimPreparations, (use) => prepareClaim(() => use(Credentials)));
  plugin.contribute(Executors, (use) =>
    createHttpExecutor({
      egress: use(Egress),
      clock: use(Clock),
      meters: createMeters(use(Metrics), use(Clock)),
      tracer: use(Tracing).on,
    }),
  );
});
