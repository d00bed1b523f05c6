import { definePlugin } from '../../kernel/contracts/index.ts';
import manifest from './plugin.json' with { type: 'json' };

/** Binds nothing: its contract offers functions without state. */
export default definePlugin(manifest, () => undefined);
