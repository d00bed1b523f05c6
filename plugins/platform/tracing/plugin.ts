import { ALL_ROLES, definePlugin, Settings } from '../../../kernel/contracts/index.ts';
import { Tracing } from './contract.ts';
import { readSettings } from './domain/settings.ts';
import manifest from './plugin.json' with { type: 'json' };

const tracingCode = () => import('./service/open-tracing.ts');

export default definePlugin(manifest, (plugin) => {
  let on: Tracing['on'];
  plugin.bind(Tracing, () => ({
    get on() {
      return on;
    },
  }));
  plugin.onCheck(ALL_ROLES, async (use) => {
    const { env, role } = use(Settings);
    const settings = readSettings(env, role === 'agent' ? 'svc-agent' : 'svc');
    if (!settings) return () => undefined;
    const { openTracing } = await tracingCode();
    const opened = openTracing(use, settings);
    ({ on } = opened);
    return opened.stop;
  });
});
