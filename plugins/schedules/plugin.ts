import {
  Clock,
  Database,
  definePlugin,
  GroupCommits,
  HttpRoutes,
  Ids,
  Log,
  Metrics,
  type PluginManifest,
  type Resolve,
  Sealer,
  SERVER_ROLES,
} from '../../kernel/contracts/index.ts';
import { Audit } from '../audit/contract.ts';
import { EventBus } from '../bus/contract.ts';
import { CredentialUsers } from '../credentials/contract.ts';
import { RunCreation, Wakeups } from '../runs/contract.ts';
import { scheduleTables } from './migrations/0001-schedules.ts';
import manifest from './plugin.json' with { type: 'json' };
import { deleteScheduleRoute } from './routes/delete-schedule.ts';
import { getNextRoute } from './routes/get-next.ts';
import { getScheduleRoute } from './routes/get-schedule.ts';
import { listSchedulesRoute } from './routes/list-schedules.ts';
import { putScheduleRoute } from './routes/put-schedule.ts';
import { scheduleUser } from './service/credential-uses.ts';
import { OwnSchedules, Schedules } from './service/schedules.ts';
import { TickLoop } from './service/tick-loop.ts';
import { Ticker } from './service/ticker.ts';

const makeSchedules = (use: Resolve) =>
  new Schedules({
    database: use(Database),
    sealer: use(Sealer),
    ids: use(Ids),
    audit: use(Audit),
    creation: use(RunCreation),
    wakeups: use(Wakeups),
  });

const makeTicker = (use: Resolve) =>
  new Ticker({
    database: use(Database),
    group_commits: use(GroupCommits),
    sealer: use(Sealer),
    ids: use(Ids),
    log: use(Log).child({ plugin: 'schedules' }),
    metrics: use(Metrics),
    bus: use(EventBus),
    creation: use(RunCreation),
  });

const makeLoop = (use: Resolve) =>
  new TickLoop({
    ticker: makeTicker(use),
    wakeups: use(Wakeups),
    database: use(Database),
    clock: use(Clock),
    log: use(Log).child({ plugin: 'schedules' }),
  });

function routes(use: Resolve) {
  const schedules = use(OwnSchedules);
  return [
    listSchedulesRoute(schedules),
    getScheduleRoute(schedules),
    putScheduleRoute(schedules),
    deleteScheduleRoute(schedules),
    getNextRoute(schedules),
  ];
}

export default definePlugin(manifest satisfies PluginManifest, (plugin) => {
  plugin.migrations([scheduleTables]);
  plugin.bind(OwnSchedules, makeSchedules);
  plugin.contribute(HttpRoutes, routes);
  plugin.contribute(CredentialUsers, (use) => scheduleUser(use(Database)));
  plugin.onStart(SERVER_ROLES, async (use) => makeLoop(use).start());
});
