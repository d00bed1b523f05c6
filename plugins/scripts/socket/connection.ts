import type { Socket } from 'node:net';
import type { Clock, Log } from '../../../kernel/contracts/index.ts';
import { isServiceError } from '../../../kernel/contracts/index.ts';
import type { ActivityContents, ActivityFiles } from '../../agents/contract.ts';
import { MAX_STEP_OUTPUT_BYTES } from '../../runs/contract.ts';
import { CallerGone, type PassJournal, PassOver, valueTooLarge, verbUsage } from '../../replay/contract.ts';
import {
  type CommandAttempt,
  type ExecResult,
  type FileRoom,
  SOCKET_PROTOCOL,
  type Verb,
  type VerbCall,
  type ScriptFiles,
} from '../contract.ts';
import { Lines } from '../domain/lines.ts';
import { numberOf, readRequest, type SocketRequest } from '../domain/requests.ts';
import { socketRequestInvalid, stepInProgress } from '../errors.ts';
import { type AttemptProgram, attemptReply, lateness } from './attempts.ts';
import { callReply, errorReply, faultReply, type Reply, verbReply } from './replies.ts';
import type { Leases } from './ahead.ts';
import type { LineRoom } from './line-room.ts';
import type { Served } from './open-step.ts';
import { Steps } from './steps.ts';
import { OtherKey } from './structured-step.ts';

/** A step's output in base64 has 2.8 MiB, and escaping can multiply the length of arguments. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;
/** Unread answers above this size close the connection. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

/** The services behind a connection. */
export interface Service {
  verbs: ReadonlyMap<string, Verb>;
  journal(alive: () => boolean): PassJournal;
  /** Absent: the agent stores no files. */
  files?: ActivityFiles | undefined;
  /** Absent: it keeps no contents either. */
  contents?: ActivityContents | undefined;
  /** Absent: nothing lies beside the script. */
  beside?: ScriptFiles | undefined;
  /** What the callers may name as files. Absent: whatever the agent may read. */
  room?: FileRoom | undefined;
  /** What the run was started with. */
  envelope?: VerbCall['envelope'];
  /** `<dev>:<ino>` of the script's standard output and error, which go to the log; empty when unknown. */
  log_name(): Promise<string>;
  /** Runs one attempt of a command. */
  attempts: AttemptProgram;
  clock: Clock;
  log: Log;
}

type Op = SocketRequest['op'];
type Of<O extends Op> = Extract<SocketRequest, { op: O }>;
interface Awaited {
  op: Op;
  take: (request: SocketRequest) => void;
  fail: (error: Error) => void;
}

/** One caller of the agent socket: a verb client for one call, or an SDK for the life of its process. */
export class Connection {
  readonly #socket: Socket;
  readonly #service: Service;
  readonly #lines = new Lines(MAX_LINE_BYTES);
  readonly #room: LineRoom;
  readonly #journal: PassJournal;
  readonly #steps: Steps;
  #protocol = 0;
  /** The current request, and no other one may come; undefined between requests. */
  #serving: Served | undefined;
  #awaited: Awaited | undefined;
  #closed = false;

  constructor(socket: Socket, service: Service, { leases, room }: { leases: Leases; room: LineRoom }) {
    this.#socket = socket;
    this.#service = service;
    this.#room = room;
    this.#journal = service.journal(() => !this.#closed);
    this.#steps = new Steps(this.#journal, leases, ({ id }, reply) => this.#send(id, reply));
    socket.on('data', (chunk) => this.#receive(chunk));
    // A killed caller resets its connection; 'close' follows in either case.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#onClose());
  }

  /** Tells a caller that no answer will come: one that waits, or that may begin steps without one. */
  gone(): void {
    if (this.#serving !== undefined || this.#steps.goesAhead) this.#send(this.#serving?.id ?? 0, { gone: true });
  }

  close(): void {
    this.#socket.destroy();
  }

  #onClose(): void {
    this.#closed = true;
    this.#room.gone(this.#socket);
    this.#awaited?.fail(new CallerGone());
    this.#awaited = undefined;
    this.#steps.close();
  }

  #receive(chunk: Buffer): void {
    try {
      for (const line of this.#lines.add(chunk)) this.#take(line);
      this.#room.holds(this.#socket, this.#lines.pending, this.#serving === undefined);
    } catch (error) {
      this.#send(0, faultReply(error));
      this.#socket.destroySoon();
    }
  }

  #take(line: string): void {
    let request: SocketRequest;
    try {
      request = readRequest(line);
    } catch (error) {
      // Others may wait for answers that they still get.
      this.#send(numberOf(line) ?? this.#serving?.id ?? 0, faultReply(error));
      return;
    }
    const awaited = this.#awaited;
    if (awaited?.op === request.op) {
      this.#awaited = undefined;
      // The caller counts from its last line for this request.
      if (this.#serving !== undefined) this.#serving.came_at = this.#service.clock.monotonic();
      awaited.take(request);
      return;
    }
    if (request.op === 'end' && this.#steps.end(request)) {
      // The next request may come before this one is answered.
      if (this.#steps.goesOn) this.#serving = undefined;
      return;
    }
    const refusal = this.#refusal(request);
    if (refusal !== undefined) this.#send(request.id, faultReply(refusal));
    else if (request.op === 'hello') this.#greet(request);
    else if (request.op === 'begun') this.#steps.ask();
    else this.#serve(request, line.length);
  }

  #refusal(request: SocketRequest): Error | undefined {
    const { op } = request;
    if (op === 'result' || op === 'stdin' || op === 'end') return socketRequestInvalid(`nobody asked for "${op}"`);
    if (op !== 'hello' && this.#protocol === 0) return socketRequestInvalid('the first request must be "hello"');
    if (op !== 'begun' && this.#steps.running) return stepInProgress(`"${op}" came before the "end" of the step`);
    if (op !== 'begun' && this.#serving !== undefined)
      return socketRequestInvalid('one request at a time; open another connection');
    return undefined;
  }

  /** A newer client learns this agent's version and decides itself how to continue. */
  #greet(request: Of<'hello'>): void {
    this.#protocol = Math.min(request.protocol, SOCKET_PROTOCOL);
    this.#steps.speaks(this.#protocol);
    const { run_id, job } = this.#journal;
    const ahead = { run: run_id, activity: job, limit: MAX_STEP_OUTPUT_BYTES };
    this.#send(request.id, {
      ok: true,
      protocol: this.#protocol,
      ...(this.#steps.goesAhead ? { ahead } : {}),
    });
  }

  #serve(request: SocketRequest, bytes: number): void {
    const served: Served = { id: request.id, came_at: this.#service.clock.monotonic() };
    this.#serving = served;
    const held = [this.#room.serves(bytes)];
    this.#answer(request, served, held)
      .then((reply) => {
        if (this.#serving === served) this.#serving = undefined;
        this.#send(served.id, request.op === 'verb' ? reply : this.#steps.withOffer(reply, served));
      })
      .finally(() => {
        for (const over of held) over();
      })
      .catch((error: unknown) => this.#broke(error, served));
  }

  /** The caller must not wait without end. */
  #broke(error: unknown, served: Served): void {
    if (error instanceof OtherKey) {
      this.#send(served.id, faultReply(socketRequestInvalid(error.message)));
      this.#socket.destroySoon();
      return;
    }
    // A fault in this file.
    this.#service.log.error({ error: String(error) }, 'a connection of the agent socket failed');
    this.#socket.destroy();
  }

  /** `held` gets what to call once what the request brought is no longer held. */
  async #answer(request: SocketRequest, served: Served, held: (() => void)[]): Promise<Reply> {
    const { verb, words } = 'argv' in request ? this.#verbOf(request.argv) : { verb: undefined, words: 0 };
    try {
      if (request.op === 'begin') return await this.#steps.run(request, served);
      if (request.op === 'verb' && verb === undefined) return { handoff: true };
      if (verb === undefined || !('argv' in request)) {
        const name = 'argv' in request ? request.argv[0]?.slice(0, 64) : request.op;
        throw socketRequestInvalid(`this agent has no verb ${JSON.stringify(name)} for scripts`);
      }
      const outcome = await verb.run(this.#callOf(request, words, held));
      return request.op === 'call' ? callReply(outcome) : verbReply(outcome, await this.#service.log_name());
    } catch (error) {
      if (error instanceof PassOver || error instanceof CallerGone) return { gone: true };
      if (error instanceof OtherKey) throw error;
      const structural = request.op === 'begin' || isServiceError(error, socketRequestInvalid.code);
      if (structural && isServiceError(error)) return faultReply(error);
      return errorReply(verb, error, this.#service.log);
    }
  }

  /** A verb may have two words: `artifact put`. */
  #verbOf([first = '', second = '']: readonly string[]): { verb: Verb | undefined; words: number } {
    const { verbs } = this.#service;
    const verb = verbs.get(first);
    return verb ? { verb, words: 1 } : { verb: verbs.get(`${first} ${second}`), words: 2 };
  }

  #callOf(request: Of<'verb'> | Of<'call'>, words: number, held: (() => void)[]): VerbCall {
    const structured = request.op === 'call';
    return {
      argv: request.argv.slice(words),
      cwd: request.cwd,
      protocol: this.#protocol,
      pass: this.#journal,
      envelope: this.#service.envelope,
      files: this.#service.files,
      contents: this.#service.contents,
      beside: this.#service.beside,
      room: this.#service.room,
      stdin: (limit) => (structured ? given(request.stdin, limit) : this.#stdin(request.id, limit, held)),
      exec: (argv, key, limit, attempt) => {
        if (structured && !request.exec)
          throw verbUsage('it would run a command, and this call does not say that it can ("exec")');
        return this.#exec(request.id, { exec: argv, key, limit }, attempt);
      },
    };
  }

  async #stdin(id: number, limit: number, held: (() => void)[]): Promise<Buffer> {
    const over = await this.#room.input(limit);
    try {
      this.#send(id, { stdin: limit });
      const { data, size } = await this.#await('stdin');
      const input = await given(size > limit ? Buffer.alloc(limit + 1) : data, limit);
      held.push(this.#room.serves(input.length));
      return input;
    } finally {
      over();
    }
  }

  async #exec(id: number, asked: Reply, attempt: CommandAttempt | undefined): Promise<ExecResult> {
    const { clock, attempts } = this.#service;
    const log = await this.#service.log_name();
    const began = clock.monotonic();
    this.#send(id, { ...asked, ...(attempt && attemptReply(attempts, attempt)), log });
    const { exit_code, stdout, size, error, final } = await this.#await('result');
    const late = attempt && lateness(attempt, exit_code, clock.monotonic() - began);
    return { exit_code, stdout, size, error: error ?? late, final };
  }

  #await<O extends Op>(op: O): Promise<Of<O>> {
    if (this.#closed) return Promise.reject(new CallerGone());
    return new Promise((resolve, reject) => {
      this.#awaited = { op, take: (request) => resolve(request as Of<O>), fail: reject };
    });
  }

  #send(id: number, reply: Reply): void {
    if (this.#closed || this.#socket.destroyed) return;
    const line = Buffer.from(`${JSON.stringify({ id, ...reply })}\n`);
    if (!this.#room.sends(line.length)) return void this.#socket.destroy();
    this.#socket.write(line, () => this.#room.read(line.length));
    if (this.#socket.writableLength > MAX_UNREAD_BYTES) this.#socket.destroy();
  }
}

async function given(data: Buffer | undefined, limit: number): Promise<Buffer> {
  if (data === undefined) return Buffer.alloc(0);
  if (data.length > limit) throw valueTooLarge(`standard input holds more than ${limit} bytes`);
  return data;
}
