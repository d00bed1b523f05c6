import {
  Clock,
  Database,
  definePlugin,
  GroupCommits,
  HttpRoutes,
  Ids,
  Log,
  Metrics,
  type Resolve,
  Sealer,
  SERVER_ROLES,
} from '../../kernel/contracts/index.ts';
import { EventBus } from '../bus/contract.ts';
import { CredentialUsers } from '../credentials/contract.ts';
import { AuditedWrites } from '../resources/contract.ts';
import { FileHolders, RunCreation, RunFeed, Wakeups } from '../runs/contract.ts';
import { heldByWorkflows, StoredWorkflows } from '../workflows/contract.ts';
import { ScheduleOwnership } from './contract.ts';
import { scheduleTables } from './migrations/0001-schedules.ts';
import { owners } from './migrations/0002-owners.ts';
import { byHand } from './migrations/0003-by-hand.ts';
import { workflowsLast } from './migrations/0004-order.ts';
import { namingFiles } from './store/schedules.ts';
import manifest from './plugin.json' with { type: 'json' };
import { scheduleRoutes } from './routes.ts';
import { scheduleUser } from './service/credential-uses.ts';
import { OwnSchedules, Schedules } from './service/schedules.ts';
import { TickLoop } from './service/tick-loop.ts';
import { Ticker } from './service/ticker.ts';

const makeSchedules = (use: Resolve) =>
  new Schedules({
    database: use(Database),
    sealer: use(Sealer),
    ids: use(Ids),
    writes: use(AuditedWrites),
    workflows: use(StoredWorkflows),
    wakeups: use(Wakeups),
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
    workflows: use(StoredWorkflows),
  });

const makeLoop = (use: Resolve) =>
  new TickLoop({
    ticker: makeTicker(use),
    wakeups: use(Wakeups),
    database: use(Database),
    clock: use(Clock),
    log: use(Log).child({ plugin: 'schedules' }),
  });

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([scheduleTables, owners, byHand, workflowsLast]);
  plugin.bind(OwnSchedules, makeSchedules);
  plugin.bind(ScheduleOwnership, (use) => use(OwnSchedules).ownership);
  plugin.contribute(FileHolders, (use) =>
    heldByWorkflows('schedules', (project_id) => namingFiles(use(Database), project_id)),
  );
  plugin.contribute(HttpRoutes, (use) => scheduleRoutes(use(OwnSchedules), triggering(use)));
  plugin.contribute(CredentialUsers, (use) => scheduleUser(use(Database)));
  plugin.onStart(SERVER_ROLES, async (use) => makeLoop(use).start());
});
