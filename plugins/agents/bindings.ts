import { hostname } from 'node:os';
import { AccessControl, Clock, Ids, Log, Metrics, type Resolve, Settings } from '../../kernel/contracts/index.ts';
import { Maskers } from '../masking/contract.ts';
import { InstantClaims, JobEnvironments, RunStore, UnderWay, Wakeups } from '../runs/contract.ts';
import { ChannelEndpoint } from './channel/endpoint.ts';
import { AgentSessions, ContentCarriers, Executors, FileSenders } from './contract.ts';
import { Sessions } from './sessions/sessions.ts';
import type { AgentTable } from './store/agent-table.ts';
import { LocalAgent } from './worker/local-agent.ts';
import { ServerWorker } from './worker/server-worker.ts';

export function makeSessions(use: Resolve, table: AgentTable): Sessions {
  const handedOver = use(Metrics).counter('svc_assignments_total', 'Activities handed to agents.');
  const sessions = new Sessions({
    store: use(RunStore),
    under_way: use(UnderWay),
    environments: use(JobEnvironments),
    wakeups: use(Wakeups),
    instant: use(InstantClaims),
    table,
    clock: use(Clock),
    ids: use(Ids),
    log: use(Log).child({ part: 'agents' }),
    lease_ms: use(Settings).lease_ms,
    server: `${hostname()}:${process.pid}`.slice(-255),
    assigned: (count) => handedOver.inc({}, count),
  });
  use(Metrics).gauge('svc_connected_agents', 'Agents connected to this server.', () => sessions.size);
  return sessions;
}

export const makeChannel = (use: Resolve): ChannelEndpoint =>
  new ChannelEndpoint({
    sessions: use(AgentSessions),
    access: () => use(AccessControl),
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
