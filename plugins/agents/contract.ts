import { extensionPoint, token } from '../../kernel/contracts/index.ts';
import type { Masker } from '../masking/contract.ts';
import type {
  ArmWait,
  Claimed,
  ClaimRef,
  Completion,
  JobEnvironmentLayers,
  JournaledCall,
  JournalRecord,
  LogChunk,
} from '../runs/contract.ts';

/**
 * Largest frame an agent may send, in bytes: a 2 MiB record in base64 and its envelope fit with room. An agent
 * refuses a larger request itself, for the server would only cut the connection.
 */
export const MAX_FRAME_BYTES = 8 * 1024 * 1024;

/** Version of the agent channel. Bodies are checked strictly, so every change of a shape is a new number. A server refuses a hello with another one, naming both. */
export const CHANNEL_PROTOCOL = 2;

/** First request on the channel. */
export interface AgentHello {
  protocol: number;
  /** Shown in `svc agents ls`; unique per org by convention, not by force. */
  name: string;
  /** Made new at every start of the process. */
  instance: string;
  os: string;
  arch: string;
  capabilities: string[];
  slots: number;
  version: string;
  pid: number;
  /** Claims that this process still works on, after a reconnect. */
  holding: ClaimRef[];
}

export interface AgentWelcome {
  agent_id: string;
  lease_ms: number;
  /** Of `holding`: those that are no longer this agent's; it must stop them. */
  lost: ClaimRef[];
}

/** Work handed to an agent. */
export interface Assignment extends Claimed {
  lease_ms: number;
  /** Environment in layers, applied in this order: below, workflow, above. */
  environment: JobEnvironmentLayers;
}

/** Requests of an agent; every one is answered by `{id, ok}` or `{id, error}`. */
export interface ChannelRequests {
  hello: { body: AgentHello; reply: AgentWelcome };
  /**
   * Free slots from now on; the server pushes at most that many assignments. `seen` counts the assignments received
   * on this connection, so that those under way when the agent counted are not handed out twice; absent: all.
   */
  ready: { body: { free: number; seen?: number }; reply: Record<string, never> };
  renew: { body: { claims: ClaimRef[] }; reply: { lost: ClaimRef[] } };
  append: { body: { claim: ClaimRef; record: JournalRecord }; reply: Record<string, never> };
  perform: { body: { claim: ClaimRef; call: JournaledCall }; reply: { record: JournalRecord } };
  park: { body: { claim: ClaimRef; wait: ArmWait }; reply: { parked: true } | { record: JournalRecord } };
  complete: { body: { claim: ClaimRef; completion: Completion }; reply: Record<string, never> };
  release: { body: { claim: ClaimRef }; reply: Record<string, never> };
  annotate: { body: { claim: ClaimRef; nth: number; text: string }; reply: Record<string, never> };
  logs: { body: { claim: ClaimRef; chunks: LogChunk[] }; reply: Record<string, never> };
}

export type ChannelOp = keyof ChannelRequests;

/** What the server sends unasked. */
export type ChannelPush =
  | { push: 'assign'; assignments: Assignment[] }
  | { push: 'revoke'; claim: ClaimRef; reason: string };

/** A refusal on the wire. `status` as in HTTP: 429 and 5xx may be tried again, others are the last word. */
export interface ChannelError {
  code: string;
  message: string;
  next: string;
  status?: number;
}

/**
 * On the wire: JSON text frames, one message a frame. A long journal travels ahead of its assignment in `journal`
 * frames, each a part of its records as JSON, deflated (raw) and in base64; the link puts the two together again, so a listener to pushes never sees them.
 */
export type ChannelFrame =
  | { id: number; op: ChannelOp; body: unknown }
  | { id: number; ok: unknown }
  | { id: number; error: ChannelError }
  | { push: 'journal'; claim: ClaimRef; packed: string }
  | ChannelPush;

/**
 * One agent's end of the channel. Requests wait while the link is down and are sent again after a reconnect
 * (all of them are idempotent under their claim); they reject with a ServiceError only on the server's word, or
 * with `agent_channel_closed` once the link is closed. `hello`, `ready` and `renew` speak of one connection: they
 * reject with `agent_channel_lost` when it breaks, because the greeting of the next one says the same anew.
 */
export interface AgentLink {
  readonly connected: boolean;
  request<Op extends ChannelOp>(op: Op, body: ChannelRequests[Op]['body']): Promise<ChannelRequests[Op]['reply']>;
  onPush(listen: (push: ChannelPush) => void): void;
  /** Called on every (re)connect; sends the hello and applies the welcome before other requests flow. */
  onConnect(greet: () => Promise<void>): void;
  open(): Promise<void>;
  close(): Promise<void>;
}

/** The server's end: one per connected agent, whatever carries the frames. */
export interface AgentSession {
  handle(op: string, body: unknown): Promise<unknown>;
  close(): Promise<void>;
}

/** Who a session belongs to. `org_id` limits what the agent may claim; undefined for the built-in one. */
export interface AgentIdentity {
  token_id: string;
  org_id: string | undefined;
}

/** What a session asks of whatever carries its frames. */
export interface AgentTransport {
  /** So much is unsent that nothing more should be assigned. */
  congested(): boolean;
  /** The session is over on the server's side: another connection of the same agent took its place. */
  end(reason: string): void;
}

export interface AgentSessions {
  /** `push` throws when the transport is gone; what it was to carry is given back. */
  connect(identity: AgentIdentity, push: (push: ChannelPush) => void, transport?: AgentTransport): AgentSession;
}

export const AgentSessions = token<AgentSessions>('agents.AgentSessions');

/** How the work of one activity ended, as its executor says it. */
export type PassEnd =
  | { end: 'completed'; completion: Completion }
  /** The activity is parked in the database; nothing to report. */
  | { end: 'parked' }
  /** The claim is gone (revoked or expired); nothing may be reported. */
  | { end: 'lost' }
  /** The agent drains: give the activity back. */
  | { end: 'released' };

/** What an executor may do for its activity; all of it fenced by the claim. */
export interface ActivityHost {
  readonly agent: { id: string; name: string; pid: number; workdir: string; runtime_dir: string };
  /**
   * Of this activity's secrets. What goes through the host is masked by it: log, annotations, labels, messages of
   * failures. An executor needs it only for texts that it cuts itself: masked first, then cut.
   */
  readonly masker: Masker;
  append(record: JournalRecord): Promise<void>;
  perform(call: JournaledCall): Promise<JournalRecord>;
  /** Sends the log queued so far first: afterwards the claim is gone, and with it the right to add to the log. */
  park(wait: ArmWait): Promise<{ parked: true } | { record: JournalRecord }>;
  annotate(nth: number, text: string): Promise<void>;
  /** Queues a chunk; batched, in order, flushed before the activity is reported as ended. */
  log(stream: LogChunk['stream'], data: Buffer): void;
  /** Set while the queue is full: stop reading the program's output until it resolves, or lines will be dropped. */
  logFull?(): Promise<void> | undefined;
  /**
   * False once the claim is lost, or may be: the agent was suspended or cut off for longer than its lease. To be
   * asked before an action that needs no answer of the server, such as starting the command of a step.
   */
  held?(): boolean;
}

export interface RunningPass {
  readonly ended: Promise<PassEnd>;
  /** Ends the work: SIGTERM to the process group, SIGKILL after the grace. Safe to call twice. */
  stop(why: 'revoked' | 'draining' | 'killed'): void;
}

/** Runs activities of one kind on an agent. */
export interface Executor {
  executor: string;
  /** Capabilities this machine has for it (`bash`, `python3`…), found once at start. */
  capabilities(): Promise<string[]>;
  /** May throw, or let `ended` reject: the activity is given back, and failed when that goes on. */
  start(assignment: Assignment, host: ActivityHost): RunningPass;
  /**
   * Frees what the executor holds (its spawner). Called once, after the last pass has ended: plugins stop in the
   * reverse order of their start, so an executor that closed in its own plugin's stop would cut running passes off.
   */
  close?(): Promise<void>;
}

export const Executors = extensionPoint<Executor>('agents.Executors', { key: (executor) => executor.executor });

/** The agent inside this process (roles agent, dev, local). */
export interface Agent {
  status(): AgentStatus;
}

export interface AgentStatus {
  /** Given by the server at the first hello. */
  agent_id: string | undefined;
  name: string;
  connected: boolean;
  draining: boolean;
  slots: number;
  /** Passes that run now. */
  busy: number;
  capabilities: readonly string[];
}

export const Agent = token<Agent>('agents.Agent');
