import { definePlugin, SERVER_ROLES, Settings } from 'svc/plugin';
import manifest from './plugin.json' with { type: 'json' };

/** Broken on purpose: shows that a start names plugin, phase and cause. */
export default definePlugin(manifest, (plugin) => {
  const breaksIn = (phase: string, wanted: string | undefined) => {
    if (wanted === phase) throw new Error(`broken on purpose in ${phase}`);
  };
  breaksIn('register', process.env.SVC_THROWS_IN);
  plugin.onInit(SERVER_ROLES, async (use) => breaksIn('init', use(Settings).env.SVC_THROWS_IN));
  plugin.onStart(SERVER_ROLES, async (use) => {
    breaksIn('start', use(Settings).env.SVC_THROWS_IN);
    return () => undefined;
  });
  plugin.onReady(SERVER_ROLES, async (use) => breaksIn('ready', use(Settings).env.SVC_THROWS_IN));
});
