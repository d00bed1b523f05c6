import { extensionPoint, token } from '../../kernel/contracts/index.ts';
import type { Masker } from '../masking/contract.ts';
import type {
  ArmWait,
  Attempted,
  CallUnderWay,
  Claimed,
  ClaimRef,
  Completion,
  FailedAttempt,
  JobEnvironmentLayers,
  JournaledCall,
  JournalRecord,
  LogChunk,
  ToldCall,
} from '../runs/contract.ts';
import type { ActivityContents } from './contract/contents.ts';
import type { DryReplay, ReplayedCall } from './contract/dry-replay.ts';
import type { Interrupted } from './contract/interruptions.ts';
import type { AgentIsolation } from './contract/isolation.ts';
import type { AgentRecord } from './generated/agent.ts';

export type { AgentIsolation, DryReplay, ReplayedCall };
export { AgentFigures } from './contract/figures.ts';
export * from './contract/contents.ts';
export * from './contract/folders.ts';
export * from './contract/interruptions.ts';
export * from './contract/agent-server.ts';
export { type RunAs, readRunAs } from './contract/run-as.ts';
export { Agent, type AgentStatus } from './contract/status.ts';

/**
 * Largest frame of an agent in bytes: enough for a 2 MiB record in base64 and its envelope. An agent refuses a larger
 * request itself, because the server would close the connection.
 */
export const MAX_FRAME_BYTES = 8 * 1024 * 1024;

/** Version of the agent channel. Bodies are checked strictly, so every change of a shape needs a new number. */
export const CHANNEL_PROTOCOL = 6;

/** First request on the channel. */
export interface AgentHello
  extends Pick<AgentRecord, 'name' | 'os' | 'arch' | 'capabilities' | 'slots' | 'version' | 'pid'> {
  protocol: number;
  isolation: AgentIsolation;
  /** New at every process start. */
  instance: string;
  /** What it can run; it gets nothing else. */
  executors: readonly string[];
  /** After a reconnect: the claims that this process still works on. */
  holding: ClaimRef[];
}

export interface AgentWelcome {
  agent_id: string;
  lease_ms: number;
  /** The claims of `holding` that this agent has lost; it must stop them. */
  lost: ClaimRef[];
  /** The one project that it serves; absent: every project of its org. */
  project_id?: string;
}

/** Work assigned to an agent. */
export interface Assignment extends Claimed {
  lease_ms: number;
  /** Environment in layers, applied in this order: below, workflow, above. */
  environment: JobEnvironmentLayers;
}

/** Requests of an agent. Every one is answered by `{id, ok}` or `{id, error}`. */
export interface ChannelRequests {
  hello: { body: AgentHello; reply: AgentWelcome };
  /**
   * Free slots from now on; the server pushes at most that many assignments. `seen` counts the assignments received on
   * this connection, so that assignments in flight are not counted as free slots. Absent: all were seen.
   */
  ready: { body: { free: number; seen?: number }; reply: Record<string, never> };
  renew: { body: { claims: ClaimRef[] }; reply: { lost: ClaimRef[] } };
  append: { body: { claim: ClaimRef; record: JournalRecord }; reply: Record<string, never> };
  perform: { body: { claim: ClaimRef; call: JournaledCall }; reply: { record: JournalRecord } };
  park: { body: { claim: ClaimRef; wait: ArmWait }; reply: { parked: true } | { record: JournalRecord } };
  attempt: { body: { claim: ClaimRef; failed: FailedAttempt }; reply: Attempted };
  complete: { body: { claim: ClaimRef; completion: Completion }; reply: Record<string, never> };
  release: { body: { claim: ClaimRef }; reply: Record<string, never> };
  annotate: { body: { claim: ClaimRef; nth: number; text: string }; reply: Record<string, never> };
  logs: { body: { claim: ClaimRef; chunks: LogChunk[] }; reply: Record<string, never> };
  /** What lasts, for those who look at the runs. Nothing depends on it. */
  under_way: { body: { calls: ToldCall[] }; reply: Record<string, never> };
}

export type ChannelOp = keyof ChannelRequests;

/** Messages that the server sends without a request. */
export type ChannelPush =
  | { push: 'assign'; assignments: Assignment[] }
  | { push: 'revoke'; claim: ClaimRef; reason: string };

/** An error on the wire. `status` is as in HTTP: 429 and 5xx may be repeated, others are final. */
export interface ChannelError {
  code: string;
  message: string;
  next: string;
  status?: number;
}

/**
 * On the wire: JSON text frames, one message in each. A long journal is sent before its assignment in `journal` frames;
 * each holds a part of the records as JSON, deflated (raw) and in base64. The link joins them, so a listener to pushes
 * never sees them.
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
 * with `agent_channel_closed` once the link is closed. `hello`, `ready`, `renew` and `under_way` speak of one connection: they
 * reject with `agent_channel_lost` when it breaks, because the greeting of the next one says the same anew.
 */
export interface AgentLink {
  readonly connected: boolean;
  request<Op extends ChannelOp>(op: Op, body: ChannelRequests[Op]['body']): Promise<ChannelRequests[Op]['reply']>;
  onPush(listen: (push: ChannelPush) => void): void;
  /** Called on every (re)connect. Sends the hello and applies the welcome before other requests. */
  onConnect(greet: () => Promise<void>): void;
  open(): Promise<void>;
  close(): Promise<void>;
}

/** The server's end: one for each connected agent, over any transport. */
export interface AgentSession {
  handle(op: string, body: unknown): Promise<unknown>;
  close(): Promise<void>;
}

/** The owner of a session. `org_id` limits what the agent may claim; undefined for the built-in agent. */
export interface AgentIdentity {
  token_id: string;
  org_id: string | undefined;
  /** It gets the work of this project only. */
  project_id?: string | undefined;
  /** Part of a server: it is in no list of agents. */
  unlisted?: true;
}

/** What a session needs of its transport. */
export interface AgentTransport {
  /** True when so much is unsent that no work should be assigned. */
  congested(): boolean;
  /** The server ended the session because another connection of the same agent replaced it. */
  end(reason: string): void;
}

export interface AgentSessions {
  /** `push` throws when the transport is closed; the work it carried is released. */
  connect(identity: AgentIdentity, push: (push: ChannelPush) => void, transport?: AgentTransport): AgentSession;
}

export const AgentSessions = token<AgentSessions>('agents.AgentSessions');

/** How the work on one activity ended. */
export type PassEnd =
  | { end: 'completed'; completion: Completion }
  /** The activity is parked in the database; there is nothing to report. */
  | { end: 'parked' }
  /** The claim is lost (revoked or expired); nothing may be reported. */
  | { end: 'lost' }
  /** The agent is draining: release the activity. */
  | { end: 'released' }
  | Interrupted;

/** Content that can be read again from any byte on, or a stream that is read once. */
export type FileContent =
  | {
      /** Bytes. */
      size: number;
      /** SHA-256 in hex. */
      digest: string;
      read(from: number): AsyncIterable<Buffer>;
    }
  | { stream: AsyncIterable<Buffer> };

/** A file as it was stored. */
export interface StoredFile {
  path: string;
  size: number;
  /** `sha256:<hex>`. */
  digest: string;
}

/**
 * Stores files of an activity as artifacts of its run, under the claim. A connection that breaks is not an error: content
 * that can be read again continues where the stored part ends. Throws `lease_lost`, the refusals of the server, and
 * whatever reading throws. Nothing is masked.
 */
export interface ActivityFiles {
  /** Stores an artifact; one of that path is replaced. It exists when this resolves. */
  put(path: string, content: FileContent): Promise<StoredFile>;
  /** Uploads only. The server's half of a verb makes what `upload_id` names an artifact; else it is removed after a day. */
  stage(path: string, content: FileContent): Promise<StoredFile & { upload_id: string }>;
}

/** The activity whose files are stored. */
export interface FileWork {
  claim: ClaimRef;
  /** Aborts when the claim is lost, or the work is stopped. */
  signal: AbortSignal;
}

/** Brings files to the server. The plugin `artifacts` contributes it. */
export interface FileSender {
  files(work: FileWork): ActivityFiles;
}

export const FileSenders = extensionPoint<FileSender>('agents.FileSenders', { key: () => 'files' });

/** What an executor may do for its activity. Every operation is fenced by the claim. */
export interface ActivityHost {
  readonly agent: {
    id: string;
    name: string;
    pid: number;
    workdir: string;
    runtime_dir: string;
    /** Another folder, on memory, for small files of trusted work; absent where there is none. */
    memory_dir?: string | undefined;
    /** Trusted work is kept apart as untrusted is. */
    isolate_all: boolean;
  };
  /**
   * Masks this activity's secrets. The host masks logs, annotations, labels and failure messages itself. An executor
   * needs it only for texts that it shortens: mask first, then cut.
   */
  readonly masker: Masker;
  append(record: JournalRecord): Promise<void>;
  perform(call: JournaledCall): Promise<JournalRecord>;
  /** Sends the queued log first: after the claim ends, nothing can be added to the log. */
  park(wait: ArmWait): Promise<{ parked: true } | { record: JournalRecord }>;
  /** One that parks sends the queued log first. */
  attempt(failed: FailedAttempt): Promise<Attempted>;
  annotate(nth: number, text: string): Promise<void>;
  /** Queues a chunk. Chunks are batched, in order, and flushed before the end of the activity is reported. */
  log(stream: LogChunk['stream'], data: Buffer): void;
  /** What is logged from now on was printed after the call at this site began. */
  logFrom?(site: string): void;
  /**
   * A call is carried out from now on, until the answered function is called or the next one begins: shown to those who look
   * at the run once it lasts. The host masks it.
   */
  underWay?(call: CallUnderWay): () => void;
  /** Set while the queue is full: stop reading the program's output until it resolves, or lines are dropped. */
  logFull?(): Promise<void> | undefined;
  /** Stores files as artifacts of the run. Absent: no plugin does. */
  readonly files?: ActivityFiles | undefined;
  /** What lies beside its script. Absent: no plugin keeps it. */
  readonly contents?: ActivityContents | undefined;
  /**
   * False when the claim is lost or may be lost: the agent was suspended or disconnected for longer than its lease.
   * Check it before an action that needs no answer of the server, for example before starting a step's command.
   */
  held?(): boolean;
  /** Present: nothing may be carried out, the pass only reads its journal. */
  readonly dry?: DryReplay;
}

export interface RunningPass {
  readonly ended: Promise<PassEnd>;
  /** Ends the work: SIGTERM to the process group, SIGKILL after the grace period. Safe to call twice. */
  stop(why: 'revoked' | 'draining' | 'killed'): void;
}

/** Runs activities of one kind on an agent. */
export interface Executor {
  executor: string;
  /** Capabilities that this machine offers for it (`bash`, `python3`…), detected once at start. */
  capabilities(): Promise<string[]>;
  /**
   * Why this machine cannot keep untrusted work of this executor apart from everything else; undefined when it can, and
   * then `start` does so for assignments that are not trusted. Absent: it never does. An executor that is not `light` gets
   * no untrusted work without it.
   */
  isolation?(): Promise<string | undefined>;
  /** May throw, or reject `ended`: the activity is released, and fails when this repeats. */
  start(assignment: Assignment, host: ActivityHost): RunningPass;
  /** The agent takes no more work; running passes go on. */
  drain?(): Promise<void>;
  /**
   * Frees the executor's resources, such as its spawner. Called once, after the last pass has ended. Plugins stop in
   * reverse start order, so an executor must not close in its own plugin's stop: that would end running passes.
   */
  close?(): Promise<void>;
  /**
   * Its work needs no process, no file and no program of this machine. A server carries it out itself, many at once, and
   * needs no agent for it.
   */
  light?: true;
}

export const Executors = extensionPoint<Executor>('agents.Executors', { key: (executor) => executor.executor });
