import type { Settings } from '../../../../kernel/contracts/index.ts';
import type { ServerSettings } from '../generated/server-settings.ts';
import type { ServerView } from '../generated/server-view.ts';

/** Settings whose values contain no secret. Of all others only the name is shown. */
const PUBLIC_SETTINGS: ReadonlySet<string> = new Set([
  'SVC_AGENT_ISOLATE',
  'SVC_AGENT_NETWORK',
  'SVC_AGENT_RUN_AS',
  'SVC_AGENT_UNTRUSTED',
  'SVC_BUILTIN_AGENT',
  'SVC_EGRESS_ALLOW',
  'SVC_EVENT_SEQUENCER',
  'SVC_DECOMPRESSION_RATIO',
  'SVC_HOST',
  'SVC_JOB_TIMEOUT',
  'SVC_LEASE_MS',
  'SVC_LOG_LEVEL',
  'SVC_MAX_CALLED_RUNS',
  'SVC_MAX_CONNECTIONS',
  'SVC_MAX_OPEN_RUNS',
  'SVC_MAX_STREAMS',
  'SVC_PORT',
  'SVC_PROJECT_LIMITS',
  'SVC_PUBLIC_URL',
  'SVC_RATE_LIMIT',
  'SVC_RETENTION',
  'SVC_RUN_LIMITS',
  'SVC_UNTRUSTED_PROJECT_LIMITS',
  'SVC_UNTRUSTED_RUN_LIMITS',
  'SVC_UNTRUSTED_SLOTS',
  'SVC_UNTRUSTED_TIMEOUT',
]);

/** All settings except the ones with which commands configure their own process. */
const SETTING = /^SVC_(?!OWN_PROCESS$)[A-Z0-9_]+$/;

/** Returns `mysql` for `mysql://…`. The rest of the address may contain a password. */
const storeKind = (url: string) => (url.startsWith('sqlite:') ? 'sqlite' : 'mysql');

export function serverView({ version, role, database_url, public_url, lease_ms, env }: Settings): ServerView {
  return {
    version,
    role,
    node: process.version,
    store: storeKind(database_url),
    wake_ups: env.SVC_WAKE_URL ? 'nats' : 'polling',
    lease_ms,
    public_url,
    retention: env.SVC_RETENTION || undefined,
    rate_limit: env.SVC_RATE_LIMIT || undefined,
  };
}

export function settingsView({ env, role }: Settings): ServerSettings {
  const set = Object.keys(env).filter((name) => SETTING.test(name) && env[name] !== '');
  return {
    settings: set.toSorted().map((name) => ({ name, ...(PUBLIC_SETTINGS.has(name) && { value: env[name]! }) })),
    egress:
      env.SVC_EGRESS_ALLOW?.trim() || (role === 'server' ? 'public addresses' : 'public addresses and this machine'),
  };
}
