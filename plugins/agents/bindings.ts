import { hostname } from 'node:os';
import { join } from 'node:path';
import {
  AccessControl,
  Clock,
  Database,
  Ids,
  Log,
  Metrics,
  type Resolve,
  Settings,
} from '../../kernel/contracts/index.ts';
import { Maskers } from '../masking/contract.ts';
import { InstantClaims, JobEnvironments, RunLimits, RunStore, UnderWay, Wakeups } from '../runs/contract.ts';
import { ChannelEndpoint } from './channel/endpoint.ts';
import { AgentSessions, ContentCarriers, Executors, FileSenders } from './contract.ts';
import { HomeAgents } from './sessions/home-agents.ts';
import { slotLimitsOf } from './sessions/held-slots.ts';
import { readUntrustedShare } from './sessions/untrusted-share.ts';
import { Sessions } from './sessions/sessions.ts';
import type { AgentTable } from './store/agent-table.ts';
import { LocalAgent } from './worker/local-agent.ts';
import { ServerWorker } from './worker/server-worker.ts';

/** A folder with its own database: in another database, a copy of the folder may have agents that live. */
function lockedHome({ home, home_locked, database_url }: Settings): string | undefined {
  if (home === undefined || home_locked !== true) return undefined;
  return database_url === `sqlite:${join(home, 'svc.db')}` ? home : undefined;
}

export function makeSessions(use: Resolve, table: AgentTable): Sessions {
  const handedOver = use(Metrics).counter('svc_assignments_total', 'Activities handed to agents.');
  const log = use(Log).child({ part: 'agents' });
  const locked = lockedHome(use(Settings));
  const sessions = new Sessions({
    home: locked === undefined ? undefined : new HomeAgents({ folder: locked, store: use(RunStore), log }),
    store: use(RunStore),
    under_way: use(UnderWay),
    environments: use(JobEnvironments),
    wakeups: use(Wakeups),
    instant: use(InstantClaims),
    table,
    clock: use(Clock),
    ids: use(Ids),
    log,
    lease_ms: use(Settings).lease_ms,
    server: `${hostname()}:${process.pid}`.slice(-255),
    slot_limits: slotLimitsOf(use(RunLimits)),
    untrustedSlots: readUntrustedShare(use(Settings).env.SVC_UNTRUSTED_SLOTS),
    assigned: (count) => handedOver.inc({}, count),
  });
  use(Metrics).gauge('svc_connected_agents', 'Agents connected to this server.', () => sessions.size);
  return sessions;
}

export const makeChannel = (use: Resolve): ChannelEndpoint =>
  new ChannelEndpoint({
    sessions: use(AgentSessions),
    access: () => use(AccessControl),
    retired: () => use(Database).retired(),
    clock: use(Clock),
    log: use(Log).child({ part: 'agents' }),
    lease_ms: use(Settings).lease_ms,
  });

export const makeAgent = (use: Resolve, inServer: (use: Resolve) => boolean): LocalAgent =>
  new LocalAgent({
    settings: use(Settings),
    clock: use(Clock),
    ids: use(Ids),
    log: use(Log).child({ part: 'agent' }),
    executors: () => use.all(Executors).filter(({ light }) => !light || !inServer(use)),
    file_sender: () => use.all(FileSenders)[0],
    content_carrier: () => use.all(ContentCarriers)[0],
    maskers: use(Maskers),
    sessions: () => use(AgentSessions),
  });

export const makeServerWorker = (use: Resolve): ServerWorker =>
  new ServerWorker({
    settings: use(Settings),
    clock: use(Clock),
    ids: use(Ids),
    log: use(Log).child({ part: 'server-worker' }),
    executors: () => use.all(Executors),
    file_sender: () => use.all(FileSenders)[0],
    content_carrier: () => use.all(ContentCarriers)[0],
    maskers: use(Maskers),
    sessions: () => use(AgentSessions),
  });
