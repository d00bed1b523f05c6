import { definePlugin, type PluginManifest } from '../../kernel/contracts/index.ts';
import manifest from './plugin.json' with { type: 'json' };
import { registerRetention } from './retention/register.ts';
import { registerService } from './service/register.ts';
import { registerStore } from './store/register.ts';

export default definePlugin(manifest satisfies PluginManifest, (plugin) => {
  registerStore(plugin);
  registerService(plugin);
  registerRetention(plugin);
});
