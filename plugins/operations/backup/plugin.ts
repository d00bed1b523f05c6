import { definePlugin, LocalTools } from '../../../kernel/contracts/index.ts';
import manifest from './plugin.json' with { type: 'json' };
import { backupTool, restoreTool } from './service/tools.ts';

export default definePlugin(manifest, (plugin) => {
  plugin.contribute(LocalTools, () => [backupTool, restoreTool]);
});
