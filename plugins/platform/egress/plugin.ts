import { ALL_ROLES, Clock, definePlugin, Egress, Settings } from '../../../kernel/contracts/index.ts';
import { Tracing } from '../tracing/contract.ts';
import { readAllowList } from './allow-list.ts';
import type { EgressClient } from './egress.ts';
import { readRatio } from './ratio.ts';
import manifest from './plugin.json' with { type: 'json' };

// The client is loaded at the first request, because most processes never send one.
const clientCode = () => import('./egress.ts');
const tracedCode = () => import('./traced.ts');

export default definePlugin(manifest, (plugin) => {
  let opened: Promise<EgressClient> | undefined;
  plugin.bind(Egress, (use) => {
    const { role, env, version } = use(Settings);
    // Its settings are read now.
    const allow = readAllowList(role, env.SVC_EGRESS_ALLOW);
    const ratio = readRatio(env.SVC_DECOMPRESSION_RATIO);
    const open = async () => {
      const { EgressClient } = await clientCode();
      return new EgressClient({ allow, clock: use(Clock), version, ratio });
    };
    return {
      async request(request) {
        opened ??= open();
        const client = await opened;
        const tracer = use(Tracing).on;
        const parent = tracer?.current();
        if (!tracer || !parent) return client.request(request);
        const { sendTraced } = await tracedCode();
        return sendTraced(client, request, { tracer, clock: use(Clock), parent });
      },
    };
  });
  plugin.onCheck(ALL_ROLES, async (use) => {
    use(Egress);
    return async () => (await opened)?.close();
  });
});
