import { definePlugin, Expressions } from '../../kernel/contracts/index.ts';
import { createExpressions } from './create-expressions.ts';
import manifest from './plugin.json' with { type: 'json' };

export default definePlugin(manifest, (plugin) => {
  plugin.bind(Expressions, () => createExpressions());
});
