import { hostname } from 'node:os';
import { join } from 'node:path';
import {
  AccessControl,
  childLog,
  Clock,
  Database,
  deferred,
  Ids,
  Log,
  Metrics,
  provide,
  type Resolve,
  Settings,
} from '../../../kernel/contracts/index.ts';
import { Scopes } from '../../security/access/contract.ts';
import { Maskers } from '../../security/masking/contract.ts';
import { InstantClaims, JobEnvironments, RunLimits, RunStore, UnderWay, Wakeups } from '../../engine/runs/contract.ts';
import { ChannelEndpoint } from './channel/endpoint.ts';
import { ActivityTransfers, AgentSessions, type Executor, Executors } from './contract.ts';
import { HomeAgents } from './sessions/home-agents.ts';
import { toSlotLimits } from './sessions/slot-tracker.ts';
import { parseUntrustedSlots } from './sessions/untrusted-share.ts';
import { Sessions } from './sessions/sessions.ts';
import type { AgentTable } from './store/agent-table.ts';
import { LocalAgent } from './worker/local-agent.ts';
import { ServerWorker } from './worker/server-worker.ts';

/**
 * A folder that is locked and has its own database. With another database, a copy of the folder may have agents that
 * are alive.
 */
function lockedHome({ home, home_locked, database_url }: Settings): string | undefined {
  if (home === undefined || home_locked !== true) return undefined;
  return database_url === `sqlite:${join(home, 'svc.db')}` ? home : undefined;
}

export function makeSessions(use: Resolve, table: AgentTable): Sessions {
  const assignments_total = use(Metrics).counter('svc_assignments_total', 'Activities assigned to agents.');
  const log = use(Log).child({ part: 'agents' });
  const locked = lockedHome(use(Settings));
  const sessions = new Sessions({
    home_agents: locked === undefined ? undefined : new HomeAgents({ folder: locked, store: use(RunStore), log }),
    store: use(RunStore),
    in_flight: use(UnderWay),
    environments: use(JobEnvironments),
    wakeups: use(Wakeups),
    eager_claims: use(InstantClaims),
    scopes: use(Scopes),
    table,
    clock: use(Clock),
    ids: use(Ids),
    log,
    lease_ms: use(Settings).lease_ms,
    server: `${hostname()}:${process.pid}`.slice(-255),
    slot_limits: toSlotLimits(use(RunLimits)),
    untrustedSlots: parseUntrustedSlots(use(Settings).env.SVC_UNTRUSTED_SLOTS),
    onAssigned: (count) => assignments_total.inc({}, count),
  });
  use(Metrics).gauge('svc_connected_agents', 'Agents connected to this server.', () => sessions.size);
  return sessions;
}

export const makeChannel = provide(ChannelEndpoint, {
  sessions: AgentSessions,
  access: deferred(AccessControl),
  retired: (use) => () => use(Database).retired(),
  clock: Clock,
  log: childLog('agents'),
  lease_ms: (use) => use(Settings).lease_ms,
});

/** All executors, or those that `SVC_AGENT_EXECUTORS` names: a worker takes no scripts. */
function chosenExecutors(use: Resolve): readonly Executor[] {
  const { SVC_AGENT_EXECUTORS: names = '' } = use(Settings).env;
  const all = use.all(Executors);
  return names === '' ? all : all.filter(({ executor }) => names.split(',').includes(executor));
}

const transfers = (use: Resolve) => ({
  file_sender: () => use.all(ActivityTransfers).find((transfer) => 'files' in transfer),
  content_transfer: () => use.all(ActivityTransfers).find((transfer) => 'contents' in transfer),
  token_source: () => use.all(ActivityTransfers).find((transfer) => 'tokens' in transfer),
});

export const makeAgent = (use: Resolve, isInServer: (use: Resolve) => boolean): LocalAgent =>
  new LocalAgent({
    settings: use(Settings),
    clock: use(Clock),
    ids: use(Ids),
    log: use(Log).child({ part: 'agent' }),
    executors: () => chosenExecutors(use).filter(({ inProcess }) => !inProcess || !isInServer(use)),
    ...transfers(use),
    maskers: use(Maskers),
    sessions: () => use(AgentSessions),
  });

export const makeServerWorker = provide(ServerWorker, {
  settings: Settings,
  clock: Clock,
  ids: Ids,
  log: childLog('server-worker'),
  executors: (use) => () => use.all(Executors),
  file_sender: (use) => transfers(use).file_sender,
  content_transfer: (use) => transfers(use).content_transfer,
  token_source: (use) => transfers(use).token_source,
  maskers: Maskers,
  sessions: deferred(AgentSessions),
});
