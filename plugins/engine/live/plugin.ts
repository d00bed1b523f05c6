import {
  AccessControl,
  Clock,
  Database,
  definePlugin,
  HttpRoutes,
  Ids,
  Log,
  Metrics,
  type Resolve,
  SERVER_ROLES,
} from '../../../kernel/contracts/index.ts';
import { RunFeed, Wakeups } from '../runs/contract.ts';
import { ChangedRuns, LiveTopics } from './contract.ts';
import manifest from './plugin.json' with { type: 'json' };
import { liveRoute } from './routes.ts';
import { LiveHub } from './service/hub.ts';
import { RunWatch } from './topics/run-watch.ts';
import { runTopic } from './topics/run.ts';
import { runsTopic } from './topics/runs.ts';

const shares = (use: Resolve) => ({
  clock: use(Clock),
  log: use(Log).child({ plugin: 'live' }),
  database: use(Database),
});

const makeHub = (use: Resolve) => new LiveHub({ ...shares(use), ids: use(Ids), control: use(AccessControl) });

function makeTopics(use: Resolve) {
  const parts = { ...shares(use), wakeups: use(Wakeups), feed: use(RunFeed) };
  return [
    runsTopic({ ...parts, records: () => use.all(ChangedRuns) }),
    runTopic({ ...parts, watch: new RunWatch(parts) }),
  ];
}

export default definePlugin(manifest, (plugin) => {
  const hub = plugin.own(makeHub);
  plugin.contribute(LiveTopics, makeTopics);
  plugin.contribute(HttpRoutes, (use) => liveRoute(hub(use), use.all(LiveTopics)));
  plugin.onStart(SERVER_ROLES, async (use) => {
    use(Metrics).gauge('svc_live_streams', 'Open streams of live changes.', () => hub(use).size);
    use(Metrics).gauge('svc_live_readers', 'Topics of projects that are read for open streams.', () => hub(use).feeds);
    return () => hub(use).stop();
  });
});
