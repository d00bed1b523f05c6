import { definePlugin, Log, type PluginManifest } from '../../kernel/contracts/index.ts';
import { Wakeups } from './contract.ts';
import manifest from './plugin.json' with { type: 'json' };
import { registerService } from './service/register.ts';
import { createWakeups } from './service/wakeups.ts';
import { registerStore } from './store/register.ts';

export default definePlugin(manifest satisfies PluginManifest, (plugin) => {
  plugin.bind(Wakeups, (use) => createWakeups(use(Log).child({ plugin: 'runs' })));
  registerStore(plugin);
  registerService(plugin);
});
