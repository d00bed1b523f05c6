import {
  Clock,
  Database,
  definePlugin,
  GroupCommits,
  HttpRoutes,
  Ids,
  Log,
  Metrics,
  provide,
  type Resolve,
  Sealer,
  SERVER_ROLES,
} from '../../../kernel/contracts/index.ts';
import { EventBus, EventInlets } from '../bus/contract.ts';
import { CredentialUsers } from '../../secrets/credentials/contract.ts';
import { AuditedWrites } from '../../platform/resources/contract.ts';
import {
  FileHolders,
  RunCancellation,
  RunCreation,
  RunFeed,
  RunObservers,
  Wakeups,
} from '../../engine/runs/contract.ts';
import { workflowFileReferences, StoredWorkflows, WorkflowHolders } from '../workflows/contract.ts';
import { ScheduleOwnership } from './contract.ts';
import { scheduleTables } from './migrations/0001-schedules.ts';
import { owners } from './migrations/0002-owners.ts';
import { byHand } from './migrations/0003-by-hand.ts';
import { workflowsLast } from './migrations/0004-order.ts';
import { overlaps } from './migrations/0005-overlaps.ts';
import { overlapsOrder } from './migrations/0006-overlaps-order.ts';
import { listUsingFiles } from './store/schedules.ts';
import manifest from './plugin.json' with { type: 'json' };
import { scheduleRoutes } from './routes.ts';
import { scheduleCredentialUser } from './service/credential-uses.ts';
import { scheduleHolder, scheduleInlets } from './service/workflow-holder.ts';
import { SchedulesToken, Schedules } from './service/schedules.ts';
import { TickLoop } from './service/tick-loop.ts';
import { Ticker } from './service/ticker.ts';
import { openRunObserver, WaitingTicks } from './service/waiting-ticks.ts';

const makeSchedules = provide(Schedules, {
  database: Database,
  sealer: Sealer,
  ids: Ids,
  writes: AuditedWrites,
  workflows: StoredWorkflows,
  wakeups: Wakeups,
  bus: EventBus,
});

const triggering = (use: Resolve) => ({
  database: use(Database),
  sealer: use(Sealer),
  ids: use(Ids),
  writes: use(AuditedWrites),
  bus: use(EventBus),
  creation: use(RunCreation),
  feed: use(RunFeed),
  workflows: use(StoredWorkflows),
});

const makeTicker = provide(Ticker, {
  database: Database,
  group_commits: GroupCommits,
  sealer: Sealer,
  ids: Ids,
  log: (use) => use(Log).child({ plugin: 'schedules' }),
  metrics: Metrics,
  bus: EventBus,
  creation: RunCreation,
  cancellation: RunCancellation,
  workflows: StoredWorkflows,
});

const makeWaiting = provide(WaitingTicks, {
  database: Database,
  sealer: Sealer,
  ids: Ids,
  log: (use) => use(Log).child({ plugin: 'schedules' }),
  bus: EventBus,
  creation: RunCreation,
  workflows: StoredWorkflows,
});

const makeLoop = provide(TickLoop, {
  ticker: makeTicker,
  waiting: makeWaiting,
  wakeups: Wakeups,
  database: Database,
  clock: Clock,
  log: (use) => use(Log).child({ plugin: 'schedules' }),
});

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([scheduleTables, owners, byHand, workflowsLast, overlaps, overlapsOrder]);
  plugin.bind(SchedulesToken, makeSchedules);
  plugin.bind(ScheduleOwnership, (use) => use(SchedulesToken).ownership);
  plugin.contribute(
    WorkflowHolders,
    provide(scheduleHolder, { database: Database, sealer: Sealer, workflows: StoredWorkflows }),
  );
  plugin.contribute(EventInlets, () => scheduleInlets);
  plugin.contribute(FileHolders, (use) =>
    workflowFileReferences('schedules', 'schedules', (...of) => listUsingFiles(use(Database), ...of)),
  );
  plugin.contribute(HttpRoutes, (use) => scheduleRoutes(use(SchedulesToken), triggering(use)));
  plugin.contribute(CredentialUsers, (use) => scheduleCredentialUser(use(Database)));
  plugin.contribute(RunObservers, (use) => openRunObserver(use(Wakeups)));
  plugin.onStart(SERVER_ROLES, async (use) => makeLoop(use).start());
});
