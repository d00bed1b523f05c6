import { definePlugin } from 'svc/plugin';
import manifest from './plugin.json' with { type: 'json' };

export default definePlugin(manifest, () => undefined);
