import type { Clock, Log } from '../../../../kernel/contracts/index.ts';
import { isServiceError } from '../../../../kernel/contracts/index.ts';
import type { ActivityContents, ActivityFiles, ActivityTokens } from '../../agents/contract.ts';
import { MAX_STEP_OUTPUT_BYTES } from '../../../engine/runs/contract.ts';
import { CallerClosed, type PassJournal, PassEnded, valueTooLarge, verbUsage } from '../../replay/contract.ts';
import {
  type CallerStream,
  type CommandAttempt,
  type ExecResult,
  type Greeting,
  type DiskView,
  SOCKET_PROTOCOL,
  type Verb,
  type VerbCall,
  type ScriptFiles,
} from '../contract.ts';
import { LineSplitter } from '../domain/lines.ts';
import { findRequestId, readRequest, type SocketRequest } from '../domain/requests.ts';
import { socketRequestInvalid, stepInProgress } from '../errors.ts';
import { type AttemptProgram, attemptReply, describeTimeout } from './attempts.ts';
import { callReply, errorReply, protocolErrorReply, type Reply, verbReply } from './replies.ts';
import type { Leases } from './step-lease.ts';
import type { MemoryBudget } from './memory-budget.ts';
import type { ServedRequest } from './open-step.ts';
import { CallerSteps } from './steps.ts';
import { StepKeyMismatch } from './structured-step.ts';

/** A step's output in base64 has 2.8 MiB, and escaping can multiply the length of its arguments. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;
/** About the size of a part of the journal that a program reads at once. */
const JOURNAL_PAGE_BYTES = 256 * 1024;
/** A connection with more unread replies than this is closed. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

/** The services behind a connection. */
export interface ConnectionServices {
  verbs: ReadonlyMap<string, Verb>;
  journal(alive: () => boolean): PassJournal;
  /** Absent when the agent stores no files. */
  files?: ActivityFiles | undefined;
  /** Absent when the agent stores no contents either. */
  contents?: ActivityContents | undefined;
  /** Absent when no plugin issues tokens. */
  tokens?: ActivityTokens | undefined;
  /** The files included with the script, if any. */
  included_files?: ScriptFiles | undefined;
  /** Which files the callers may name. Absent when they may name whatever the agent may read. */
  disk_view?: DiskView | undefined;
  /** Creates a folder for files that the agent hands over to the callers. */
  createReadableFolder?: VerbCall['createReadableFolder'];
  /** The settings of the agent. */
  agent_env?: VerbCall['agent_env'];
  /** The envelope that the run was started with. */
  envelope?: VerbCall['envelope'];
  /** `<dev>:<ino>` of the script's standard output and error, which go to the log; empty when unknown. */
  log_name(): Promise<string>;
  /** Runs one attempt of a command. */
  attempts: AttemptProgram;
  clock: Clock;
  log: Log;
}

type Op = SocketRequest['op'];
type RequestOf<O extends Op> = Extract<SocketRequest, { op: O }>;
interface ExpectedRequest {
  op: Op;
  resolve: (request: SocketRequest) => void;
  fail: (error: Error) => void;
}

/** One caller of the agent socket: a verb client for one call, or an SDK for the life of its process. */
export class Connection {
  readonly #socket: CallerStream;
  readonly #service: ConnectionServices;
  readonly #lines = new LineSplitter(MAX_LINE_BYTES);
  readonly #memory_budget: MemoryBudget;
  readonly #journal: PassJournal;
  readonly #steps: CallerSteps;
  #protocol = 0;
  /** True for the only caller of a pass, to which the journal is lent. */
  #is_only_caller = false;
  /** The current request; undefined when the caller may send the next one. */
  #current_request: ServedRequest | undefined;
  #expected: ExpectedRequest | undefined;
  #closed = false;

  constructor(
    socket: CallerStream,
    service: ConnectionServices,
    { leases, room: memory_budget }: { leases: Leases; room: MemoryBudget },
  ) {
    this.#socket = socket;
    this.#service = service;
    this.#memory_budget = memory_budget;
    this.#journal = service.journal(() => !this.#closed);
    this.#steps = new CallerSteps(this.#journal, leases, ({ id }, reply) => this.#send(id, reply));
    socket.on('data', (chunk) => this.#receive(chunk));
    // A killed caller resets its connection; 'close' follows in either case.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#onClose());
  }

  /** Tells a caller that waits, or that may begin steps without waiting, that no reply will come. */
  cancelCalls(): void {
    if (this.#current_request !== undefined || this.#steps.is_leasing)
      this.#send(this.#current_request?.id ?? 0, { gone: true });
  }

  close(): void {
    this.#socket.destroy();
  }

  #onClose(): void {
    this.#closed = true;
    this.#memory_budget.removeReader(this.#socket);
    this.#expected?.fail(new CallerClosed());
    this.#expected = undefined;
    this.#steps.close();
  }

  #receive(chunk: Buffer): void {
    try {
      for (const line of this.#lines.add(chunk)) this.#handleLine(line);
      this.#memory_budget.updateLine(this.#socket, this.#lines.pending, this.#current_request === undefined);
    } catch (error) {
      this.#send(0, protocolErrorReply(error));
      this.#socket.destroySoon();
    }
  }

  #handleLine(line: string): void {
    let request: SocketRequest;
    try {
      request = readRequest(line);
    } catch (error) {
      // Other requests of the caller may still be waiting for their replies.
      this.#send(findRequestId(line) ?? this.#current_request?.id ?? 0, protocolErrorReply(error));
      return;
    }
    const expected = this.#expected;
    if (expected?.op === request.op) {
      this.#expected = undefined;
      // The caller counts the lease from the last line of this request.
      if (this.#current_request !== undefined) this.#current_request.received_at = this.#service.clock.monotonic();
      expected.resolve(request);
      return;
    }
    if (request.op === 'end' && this.#steps.end(request)) {
      // The next request may come before this one is answered.
      if (this.#steps.accepts_next) this.#current_request = undefined;
      return;
    }
    const protocol_error = this.#findProtocolError(request);
    if (protocol_error !== undefined) this.#send(request.id, protocolErrorReply(protocol_error));
    else if (request.op === 'hello') this.#greet(request);
    else if (request.op === 'begun') this.#steps.requestReply();
    // Whether a step that has not begun keeps its name, from which its caller derives its key.
    else if (request.op === 'mask') this.#send(request.id, { name: this.#journal.mask(request.name) });
    else if (request.op === 'journal') this.#send(request.id, { records: this.#lendRecords(request.from) });
    else this.#serve(request, line.length);
  }

  #findProtocolError(request: SocketRequest): Error | undefined {
    const { op } = request;
    if (op === 'result' || op === 'stdin' || op === 'end')
      return socketRequestInvalid(`there is no request for "${op}"`);
    if (op === 'mask') return undefined;
    const repeats = (op === 'begin' || op === 'call') && request.repeated > 0;
    if ((op === 'journal' || repeats) && !this.#is_only_caller)
      return socketRequestInvalid('only the sole caller of a pass can read its journal');
    if (op === 'journal') return undefined;
    if (op !== 'hello' && this.#protocol === 0) return socketRequestInvalid('the first request must be "hello"');
    if (op !== 'begun' && this.#steps.running) return stepInProgress(`"${op}" came before the "end" of the step`);
    if (op !== 'begun' && this.#current_request !== undefined)
      return socketRequestInvalid('one request at a time; open another connection');
    return undefined;
  }

  /** Tells a newer client this agent's version; the client decides how to continue. */
  #greet(request: RequestOf<'hello'>): void {
    const { protocol, ahead } = this.#speak(request.protocol);
    this.#send(request.id, { ok: true, protocol, ahead: this.#steps.is_leasing ? ahead : undefined });
  }

  /**
   * Greets the only caller of a pass before it has said anything. Its lease begins when it reads the greeting: nobody else
   * waits for the journal, and a program that reads late would read the reply to a `begin` just as late.
   */
  greetAtStart(): Greeting {
    this.#is_only_caller = true;
    const recorded = this.#journal.recorded?.count ?? 0;
    return { ...this.#speak(SOCKET_PROTOCOL), lease_ms: this.#steps.lend(), recorded };
  }

  #speak(protocol: number): Omit<Greeting, 'lease_ms' | 'recorded'> {
    this.#protocol = Math.min(protocol, SOCKET_PROTOCOL);
    this.#steps.setProtocol(this.#protocol);
    const { run_id, job } = this.#journal;
    return {
      protocol: this.#protocol,
      ahead: { run: run_id, activity: job, limit: MAX_STEP_OUTPUT_BYTES, masks: this.#journal.masks },
    };
  }

  /** Of calls that are no steps, the agent alone knows whether they are the recorded ones, and has their results. */
  #lendRecords(from: number) {
    return (this.#journal.recorded?.page(from, JOURNAL_PAGE_BYTES) ?? []).map(
      ({ kind, name, ordinal, exit_code, message, output }) =>
        kind === 'step' ? { kind, name, ordinal, exit_code, message, output } : { kind },
    );
  }

  /** The caller has repeated recorded steps since its last request. Returns false if it cannot have done that. */
  repeat(count: number): boolean {
    if (count === 0) return true;
    if (this.#journal.recorded?.repeat(count) !== true) return false;
    this.#steps.repeat(count);
    return true;
  }

  #serve(request: SocketRequest, bytes: number): void {
    const served: ServedRequest = { id: request.id, received_at: this.#service.clock.monotonic() };
    this.#current_request = served;
    const releases = [this.#memory_budget.reserveRequest(bytes)];
    this.#respond(request, served, releases)
      .then((reply) => {
        if (this.#current_request === served) this.#current_request = undefined;
        this.#send(served.id, request.op === 'verb' ? reply : this.#withPosition(this.#steps.withOffer(reply, served)));
      })
      .finally(() => {
        for (const release of releases) release();
      })
      .catch((error: unknown) => this.#handleFailure(error, served));
  }

  /** Tells a caller that reads the journal itself which call of it is the next one. */
  #withPosition(reply: Reply): Reply {
    const { recorded, pipeline } = this.#journal;
    const { count = 0 } = recorded ?? {};
    const next = pipeline?.callCount() ?? Infinity;
    return this.#is_only_caller && count > 0 && next <= count ? { ...reply, next } : reply;
  }

  /** Closes a connection after an error of its own, because the caller must not wait forever. */
  #handleFailure(error: unknown, served: ServedRequest): void {
    if (error instanceof StepKeyMismatch) {
      this.#send(served.id, protocolErrorReply(socketRequestInvalid(error.message)));
      this.#socket.destroySoon();
      return;
    }
    // Only a defect in this file leads here.
    this.#service.log.error({ error: String(error) }, 'a connection of the agent socket failed');
    this.#socket.destroy();
  }

  /** Runs the request. Callbacks pushed to `held` release the memory of what the request brought. */
  async #respond(request: SocketRequest, served: ServedRequest, held: (() => void)[]): Promise<Reply> {
    const { verb, words } = 'argv' in request ? this.#findVerb(request.argv) : { verb: undefined, words: 0 };
    try {
      if ('repeated' in request && !this.repeat(request.repeated))
        throw socketRequestInvalid('"repeated" includes calls that are not recorded steps');
      if (request.op === 'begin') return await this.#steps.run(request, served);
      if (request.op === 'verb' && verb === undefined) return { handoff: true };
      if (verb === undefined || !('argv' in request)) {
        const name = 'argv' in request ? request.argv[0]?.slice(0, 64) : request.op;
        throw socketRequestInvalid(`this agent has no verb ${JSON.stringify(name)} for scripts`);
      }
      const outcome = await verb.run(this.#makeVerbCall(request, words, held));
      return request.op === 'call' ? callReply(outcome) : verbReply(outcome, await this.#service.log_name());
    } catch (error) {
      if (error instanceof PassEnded || error instanceof CallerClosed) return { gone: true };
      if (error instanceof StepKeyMismatch) throw error;
      const structural = request.op === 'begin' || isServiceError(error, socketRequestInvalid.code);
      if (structural && isServiceError(error)) return protocolErrorReply(error);
      return errorReply(verb, error, this.#service.log);
    }
  }

  /** Finds the verb, whose name may have two words: `artifact put`. */
  #findVerb([first = '', second = '']: readonly string[]): { verb: Verb | undefined; words: number } {
    const { verbs } = this.#service;
    const verb = verbs.get(first);
    return verb ? { verb, words: 1 } : { verb: verbs.get(`${first} ${second}`), words: 2 };
  }

  #makeVerbCall(request: RequestOf<'verb'> | RequestOf<'call'>, words: number, held: (() => void)[]): VerbCall {
    const structured = request.op === 'call';
    return {
      argv: request.argv.slice(words),
      cwd: request.cwd,
      protocol: this.#protocol,
      pass: this.#journal,
      envelope: this.#service.envelope,
      files: this.#service.files,
      contents: this.#service.contents,
      tokens: this.#service.tokens,
      included_files: this.#service.included_files,
      disk_view: this.#service.disk_view,
      createReadableFolder: this.#service.createReadableFolder,
      agent_env: this.#service.agent_env,
      stdin: (limit) => (structured ? limitInput(request.stdin, limit) : this.#stdin(request.id, limit, held)),
      exec: (argv, key, limit, attempt) => {
        if (structured && !request.exec)
          throw verbUsage('it would run a command, but this call does not permit that ("exec")');
        return this.#exec(request.id, { exec: argv, key, limit }, attempt);
      },
    };
  }

  async #stdin(id: number, limit: number, held: (() => void)[]): Promise<Buffer> {
    const over = await this.#memory_budget.reserveInput(limit);
    try {
      this.#send(id, { stdin: limit });
      const { data, size } = await this.#expect('stdin');
      const input = await limitInput(size > limit ? Buffer.alloc(limit + 1) : data, limit);
      held.push(this.#memory_budget.reserveRequest(input.length));
      return input;
    } finally {
      over();
    }
  }

  async #exec(id: number, request: Reply, attempt: CommandAttempt | undefined): Promise<ExecResult> {
    const { clock, attempts } = this.#service;
    const log = await this.#service.log_name();
    const started_at = clock.monotonic();
    this.#send(id, { ...request, ...(attempt && attemptReply(attempts, attempt)), log });
    const { exit_code, stdout, size, error, final } = await this.#expect('result');
    const timeout_reason = attempt && describeTimeout(attempt, exit_code, clock.monotonic() - started_at);
    return { exit_code, stdout, size, error: error ?? timeout_reason, final };
  }

  #expect<O extends Op>(op: O): Promise<RequestOf<O>> {
    if (this.#closed) return Promise.reject(new CallerClosed());
    return new Promise((resolve, reject) => {
      this.#expected = { op, resolve: (request) => resolve(request as RequestOf<O>), fail: reject };
    });
  }

  #send(id: number, reply: Reply): void {
    if (this.#closed || this.#socket.destroyed) return;
    const line = Buffer.from(`${JSON.stringify({ id, ...reply })}\n`);
    if (!this.#memory_budget.reserveUnread(line.length)) return void this.#socket.destroy();
    this.#socket.write(line, () => this.#memory_budget.releaseUnread(line.length));
    if (this.#socket.writableLength > MAX_UNREAD_BYTES) this.#socket.destroy();
  }
}

async function limitInput(data: Buffer | undefined, limit: number): Promise<Buffer> {
  if (data === undefined) return Buffer.alloc(0);
  if (data.length > limit) throw valueTooLarge(`standard input has more than ${limit} bytes`);
  return data;
}
