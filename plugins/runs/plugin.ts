import { definePlugin } from '../../kernel/contracts/index.ts';
import manifest from './plugin.json' with { type: 'json' };
import { registerService } from './service/register.ts';
import { registerStore } from './store/register.ts';

export default definePlugin(manifest, (plugin) => {
  registerService(plugin, registerStore(plugin));
});
