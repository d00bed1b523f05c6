import { definePlugin } from '../../../kernel/contracts/index.ts';
import manifest from './plugin.json' with { type: 'json' };

/** The plugin binds nothing, because its contract consists of stateless functions. */
export default definePlugin(manifest, () => undefined);
