import { extensionPoint, movedPoint, token } from '../../../kernel/contracts/index.ts';
import type { Masker } from '../../security/masking/contract.ts';
import type {
  Appended,
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
  Renewal,
  ToldCall,
} from '../../engine/runs/contract.ts';
import type { ActivityContents, ContentTransfer } from './contract/contents.ts';
import type { DryReplay, ReplayedCall } from './contract/dry-replay.ts';
import type { Interrupted } from './contract/interruptions.ts';
import type { AgentIsolation } from './contract/isolation.ts';
import type { ActivityTokens, TokenSource } from './contract/tokens.ts';
import type { AgentRecord } from './generated/agent.ts';

export type { AgentIsolation, DryReplay, ReplayedCall };
export { AgentStats } from './contract/stats.ts';
export type { ActivityTokens, IssuedToken, TokenRequest, TokenSource, TokenWork } from './contract/tokens.ts';
export * from './contract/contents.ts';
export * from './contract/folders.ts';
export * from './contract/interruptions.ts';
export * from './contract/agent-server.ts';
export { type RunAs, readRunAs } from './contract/run-as.ts';
export { Agent, type AgentStatus } from './contract/status.ts';

/**
 * Maximum size in bytes of a frame from an agent: enough for a 2 MiB record in base64 and its envelope. An agent
 * refuses a larger request itself, because the server would close the connection.
 */
export const MAX_FRAME_BYTES = 8 * 1024 * 1024;

/** Version of the agent channel. Bodies are validated strictly, so every change of a shape needs a new number. */
export const CHANNEL_PROTOCOL = 6;

/** The first request on the channel. */
export interface AgentHello
  extends Pick<AgentRecord, 'name' | 'os' | 'arch' | 'capabilities' | 'slots' | 'version' | 'pid'> {
  protocol: number;
  isolation: AgentIsolation;
  /** Generated anew at every process start. */
  instance: string;
  /** The executors that it has; it gets work for no others. */
  executors: readonly string[];
  /** After a reconnect, the claims that this process still works on. */
  holding: ClaimRef[];
}

export interface AgentWelcome {
  agent_id: string;
  lease_ms: number;
  /** The claims of `holding` that this agent has lost and must stop. */
  lost: ClaimRef[];
  /** The only project that it serves; without it, it serves every project of its org. */
  project_id?: string;
}

/** Work assigned to an agent. */
export interface Assignment extends Claimed {
  lease_ms: number;
  /** Environment in layers, applied in the order below, workflow, above. */
  environment: JobEnvironmentLayers;
}

/** The requests of an agent. Every one is answered by `{id, ok}` or `{id, error}`. */
export interface ChannelRequests {
  hello: { body: AgentHello; reply: AgentWelcome };
  /**
   * Announces free slots; the server pushes at most that many assignments. `seen` counts the assignments received on
   * this connection, so that assignments in flight do not count as free slots. Without it, all were received.
   */
  ready: { body: { free: number; seen?: number }; reply: Record<string, never> };
  renew: { body: { claims: ClaimRef[] }; reply: Renewal };
  append: { body: { claim: ClaimRef; record: JournalRecord }; reply: Appended };
  perform: { body: { claim: ClaimRef; call: JournaledCall }; reply: { record: JournalRecord } };
  park: { body: { claim: ClaimRef; wait: ArmWait }; reply: { parked: true } | { record: JournalRecord } };
  attempt: { body: { claim: ClaimRef; failed: FailedAttempt }; reply: Attempted };
  complete: { body: { claim: ClaimRef; completion: Completion }; reply: Record<string, never> };
  release: { body: { claim: ClaimRef }; reply: Record<string, never> };
  annotate: { body: { claim: ClaimRef; nth: number; text: string }; reply: Record<string, never> };
  logs: { body: { claim: ClaimRef; chunks: LogChunk[] }; reply: Record<string, never> };
  /** Reports long-running calls to whoever watches the runs. Nothing depends on it. */
  under_way: { body: { calls: ToldCall[] }; reply: Record<string, never> };
}

export type ChannelOp = keyof ChannelRequests;

/** Messages that the server sends without a request. */
export type ChannelPush =
  | { push: 'assign'; assignments: Assignment[] }
  | { push: 'revoke'; claim: ClaimRef; reason: string }
  /** The run of the claim was paused. Only for agents with `PAUSES`: others would not know the message. */
  | { push: 'pause'; claim: ClaimRef };

/** An error on the wire. `status` is as in HTTP: 429 and 5xx may be retried, others are final. */
export interface ChannelError {
  code: string;
  message: string;
  next: string;
  status?: number;
}

/**
 * A message on the wire, one JSON text frame each. A long journal precedes its assignment in `journal` frames, each
 * with a part of the records as JSON, raw-deflated and base64-encoded. The link joins them, so listeners to pushes
 * never see them.
 */
export type ChannelFrame =
  | { id: number; op: ChannelOp; body: unknown }
  | { id: number; ok: unknown }
  | { id: number; error: ChannelError }
  | { push: 'journal'; claim: ClaimRef; packed: string }
  | ChannelPush;

/**
 * The agent's end of the channel. Requests wait while the link is down and are sent again after a reconnect; all of
 * them are idempotent under their claim. They reject with a ServiceError only when the server says so, or with
 * `agent_channel_closed` once the link is closed. `hello`, `ready`, `renew` and `under_way` belong to one connection:
 * they reject with `agent_channel_lost` when it breaks, because the next connection starts with a new hello.
 */
export interface AgentLink {
  readonly connected: boolean;
  request<Op extends ChannelOp>(op: Op, body: ChannelRequests[Op]['body']): Promise<ChannelRequests[Op]['reply']>;
  onPush(listener: (push: ChannelPush) => void): void;
  /** Called on every (re)connect. Sends the hello and applies the welcome before any other request. */
  onConnect(greet: () => Promise<void>): void;
  open(): Promise<void>;
  /** Breaks the connection and makes another, which begins with a new hello. */
  reconnect(): Promise<void>;
  close(): Promise<void>;
}

/** The server's end of the channel, one for each connected agent, over any transport. */
export interface AgentSession {
  handle(op: string, body: unknown): Promise<unknown>;
  close(): Promise<void>;
}

/** The owner of a session. `org_id` limits what the agent may claim; it is undefined for the built-in agent. */
export interface AgentIdentity {
  token_id: string;
  org_id: string | undefined;
  /** Limits the agent to the work of this project. */
  project_id?: string | undefined;
  /** Set for the worker of a server, which appears in no list of agents. */
  unlisted?: true;
}

/** What a session needs of its transport. */
export interface AgentTransport {
  /** True when so much is unsent that no more work should be assigned. */
  congested(): boolean;
  /** Ends the transport because another connection of the same agent replaced it. */
  terminate(reason: string): void;
}

export interface AgentSessions {
  /** `push` throws when the transport is closed; the work in it is then released. */
  connect(identity: AgentIdentity, push: (push: ChannelPush) => void, transport?: AgentTransport): AgentSession;
}

export const AgentSessions = token<AgentSessions>('agents.AgentSessions');

/** How the work on one activity ended. */
export type PassEnd =
  | { end: 'completed'; completion: Completion }
  /** The activity is parked in the database; there is nothing to report. */
  | { end: 'parked' }
  /** The claim was revoked or expired; nothing may be reported. */
  | { end: 'lost' }
  /** The agent is draining, so the activity is released. */
  | { end: 'released' }
  | Interrupted;

/** Content that can be read again from any offset, or a stream that can be read only once. */
export type FileContent =
  | {
      /** Size in bytes. */
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
  /** Such as `sha256:<hex>`. */
  digest: string;
}

/**
 * Stores files of an activity as artifacts of its run, and fetches the run's artifacts, under the claim. A broken connection is no error: content that
 * can be read again continues where the stored part ends. Throws `lease_lost`, the server's rejections, and whatever
 * reading the content throws. Nothing is masked.
 */
export interface ActivityFiles {
  /** Stores an artifact, replacing any with that path. The artifact exists when this resolves. */
  put(path: string, content: FileContent): Promise<StoredFile>;
  /**
   * Uploads a file without storing it as an artifact. The server's half of a verb turns `upload_id` into one;
   * otherwise the upload is removed after a day.
   */
  stage(path: string, content: FileContent): Promise<StoredFile & { upload_id: string }>;
  /**
   * Lists a page of the run's artifacts whose paths begin with `prefix`, ordered by path. Pass the `next_cursor` of a
   * page to get the one after it.
   */
  list(prefix: string, cursor?: string): Promise<{ files: StoredFile[]; next_cursor?: string | undefined }>;
  /**
   * Downloads an artifact of the run into a file, verified by its digest. The file's folder must be one that only the
   * agent writes to. Throws `not_found` if the artifact was removed or replaced after it was listed.
   */
  fetch(file: StoredFile, target: string): Promise<void>;
  /** Finds a cache of the project by its key, or with `prefix` the newest whose key begins with it. */
  findCache(key: string, prefix: boolean): Promise<StoredCache | undefined>;
  /** Downloads the archive of a cache into a file, as `fetch` does. */
  fetchCache(cache: StoredCache, target: string): Promise<void>;
  /** Saves a staged upload as a cache. Returns false if the key is taken: the existing cache stays. */
  saveCache(key: string, upload_id: string): Promise<boolean>;
}

/** An archive that a run of the project has saved under a key. */
export interface StoredCache {
  key: string;
  /** Size in bytes. */
  size: number;
  /** Such as `sha256:<hex>`. */
  digest: string;
}

/** The activity whose files are stored or fetched. */
export interface FileWork {
  claim: ClaimRef;
  /** Aborts when the claim is lost or the work is stopped. */
  signal: AbortSignal;
}

/** Uploads files to the server and downloads them. The plugin `artifacts` contributes it. */
export interface FileSender {
  files(work: FileWork): ActivityFiles;
}

/** How files, contents and tokens get from an agent to the server and back: one way for each. */
export const ActivityTransfers = extensionPoint<FileSender | ContentTransfer | TokenSource>(
  'agents.ActivityTransfers',
  { key: (transfer) => ('files' in transfer ? 'files' : 'tokens' in transfer ? 'tokens' : 'contents') },
);

/** @deprecated Contribute to `ActivityTransfers`. Version 0.4.0 removes this point. */
export const FileSenders = movedPoint('agents.FileSenders', ActivityTransfers, (one: FileSender) => one);

/** @deprecated Contribute to `ActivityTransfers`. Version 0.4.0 removes this point. */
export const ContentCarriers = movedPoint('agents.ContentCarriers', ActivityTransfers, (one: ContentTransfer) => one);

/** What an executor may do for its activity. Every operation is fenced by the claim. */
export interface ActivityHost {
  readonly agent: {
    id: string;
    name: string;
    pid: number;
    workdir: string;
    runtime_dir: string;
    /** A folder in memory for small files of trusted work, if the machine has one. */
    memory_dir?: string | undefined;
    /** Whether trusted work is isolated like untrusted work. */
    isolate_all: boolean;
  };
  /**
   * Masks this activity's secrets. The host masks logs, annotations, labels and failure messages by itself. An
   * executor needs it only for texts that it truncates, which must be masked first.
   */
  readonly masker: Masker;
  append(record: JournalRecord): Promise<void>;
  perform(call: JournaledCall): Promise<JournalRecord>;
  /** Flushes the queued log first, because nothing can be logged once the claim has ended. */
  park(wait: ArmWait): Promise<{ parked: true } | { record: JournalRecord }>;
  /** An attempt that parks flushes the queued log first. */
  attempt(failed: FailedAttempt): Promise<Attempted>;
  annotate(nth: number, text: string): Promise<void>;
  /** Queues a chunk. Chunks are batched in order, and flushed before the end of the activity is reported. */
  log(stream: LogChunk['stream'], data: Buffer): void;
  /** Marks everything logged from now on as printed after the call at this site began. */
  setLogSite?(site: string): void;
  /**
   * Reports a call as running until the returned function is called or the next call begins. People who watch the run
   * see it once it lasts. The host masks it.
   */
  reportCall?(call: CallUnderWay): () => void;
  /** Set while the queue is full: stop reading the program's output until it resolves, or lines are dropped. */
  whenLogDrained?(): Promise<void> | undefined;
  /** Stores files as artifacts of the run, if a plugin does that. */
  readonly files?: ActivityFiles | undefined;
  /** The contents of the files included with its script, if a plugin stores them. */
  readonly contents?: ActivityContents | undefined;
  /** ID tokens of the run, if a plugin issues them. From then on, the host masks each token. */
  readonly tokens?: ActivityTokens | undefined;
  /**
   * False when the claim is lost or may be lost because the agent was suspended or disconnected for longer than its
   * lease. Check it before an action that needs no response of the server, such as starting a step's command.
   */
  hasClaim?(): boolean;
  /** True when the run is paused: no new call may begin, and the activity is released. */
  isPaused?(): boolean;
  /** Set for a dry replay: nothing may be executed, and the pass only reads its journal. */
  readonly dryReplay?: DryReplay;
}

export interface RunningPass {
  readonly result: Promise<PassEnd>;
  /** Ends the work: SIGTERM to the process group, then SIGKILL after the grace period. Safe to call twice. */
  stop(why: 'revoked' | 'draining' | 'killed'): void;
}

/** Runs activities of one kind on an agent. */
export interface Executor {
  executor: string;
  /** Capabilities that this machine offers for it (`bash`, `python3`…), detected once at start. */
  capabilities(): Promise<string[]>;
  /**
   * Returns why this machine cannot isolate untrusted work of this executor, or undefined if it can; `start` then
   * isolates untrusted assignments. An executor without this method never isolates and gets no untrusted work, unless
   * it runs in the server.
   */
  isolation?(): Promise<string | undefined>;
  /** Calls back when its capabilities have changed; the agent then announces them again. */
  onCapabilitiesChange?(listener: () => void): void;
  /** May throw or reject `ended`; the activity is then released, and fails if that repeats. */
  start(assignment: Assignment, host: ActivityHost): RunningPass;
  /** An activity that had parked here has ended, so nothing may be kept for it. */
  forget?(claim: ClaimRef): void;
  /** The agent takes no more work; running passes continue. */
  drain?(): Promise<void>;
  /**
   * Frees the executor's resources, such as its spawner. Called once, after the last pass has ended. Plugins stop in
   * reverse start order, so an executor must not close in its own plugin's stop, which would end running passes.
   */
  close?(): Promise<void>;
  /**
   * Its work needs no process, file or program of this machine, so a server runs it itself, many at once and without
   * an agent.
   */
  inProcess?: true;
}

/**
 * The capability of an agent that keeps the program of a pass for a moment when it parks. If the agent has room, it gets the
 * activity back when the wait ends within `MAX_RETAINED_MS`. Nobody requires it.
 */
export const RETAINS = 'svc:retains';

/** The capability of agents that stop the work of a paused run at its next call. */
export const PAUSES = 'svc:pauses';

/** An agent keeps no program for longer. */
export const MAX_RETAINED_MS = 60_000;
/** An agent keeps no more programs. */
export const MAX_RETAINED = 1000;

export const Executors = extensionPoint<Executor>('agents.Executors', { key: (executor) => executor.executor });
