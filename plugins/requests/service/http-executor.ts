import { type Clock, type Egress, type EgressRequest, isServiceError } from '../../../kernel/contracts/index.ts';
import type { ActivityHost, Assignment, Executor, PassEnd, RunningPass, StoredFile } from '../../agents/contract.ts';
import type { Completion, Json } from '../../runs/contract.ts';
import { HTTP_CAPABILITY, HTTP_EXECUTOR, type NodeRequest } from '../contract.ts';
import { answerOf } from '../domain/answer.ts';
import { exchangeOf } from '../domain/exchange.ts';
import { failureBy, failureOf, isNominated } from '../domain/failure.ts';
import { readGiven } from '../domain/given.ts';
import { checkRequest } from '../domain/request-rules.ts';
import type { Tracer } from '../../tracing/contract.ts';
import type { RequestMeters } from './meters.ts';
import { traceRequest } from './trace-request.ts';

export interface HttpExecutorParts {
  egress: Egress;
  clock: Clock;
  meters: RequestMeters;
  /** Of this process; the server of an agent without one says only what requests carry. */
  tracer: Tracer | undefined;
}

/** Sends the request of an activity. It needs no process, so a server does it itself. */
export const createHttpExecutor = (parts: HttpExecutorParts): Executor => ({
  executor: HTTP_EXECUTOR,
  light: true,
  capabilities: async () => [HTTP_CAPABILITY],
  start: (assignment, host) => new RequestPass(parts, assignment, host),
});

class RequestPass implements RunningPass {
  readonly ended: Promise<PassEnd>;
  readonly #parts: HttpExecutorParts;
  readonly #assignment: Assignment;
  readonly #host: ActivityHost;
  readonly #abort = new AbortController();
  #stopped: PassEnd | undefined;
  #stored: StoredFile | undefined;

  constructor(parts: HttpExecutorParts, assignment: Assignment, host: ActivityHost) {
    this.#parts = parts;
    this.#assignment = assignment;
    this.#host = host;
    this.ended = this.#run();
  }

  /** Whether the far end did what was asked is not known then: whoever takes over sends the same request again. */
  stop(why: 'revoked' | 'draining' | 'killed'): void {
    this.#stopped ??= why === 'draining' ? { end: 'released' } : { end: 'lost' };
    this.#abort.abort();
  }

  async #run(): Promise<PassEnd> {
    if (this.#host.held?.() === false) return { end: 'lost' };
    let completion: Completion;
    try {
      completion = await this.#exchange();
    } catch (error) {
      if (this.#stopped) return this.#stopped;
      if (!isServiceError(error) || error.status >= 500) throw error;
      completion = failureBy(error);
    }
    if (completion.status === 'failed') this.#host.log('system', Buffer.from(`${completion.message}\n`));
    return { end: 'completed', completion };
  }

  async #exchange(): Promise<Completion> {
    const { egress, clock, meters } = this.#parts;
    const { spec, environment } = this.#assignment;
    const request = checkRequest(spec);
    const exchange = exchangeOf(request, readGiven(environment.given), clock.now());
    const spill = this.#spill(request);
    const traced = traceRequest(this.#assignment, exchange);
    const send = () => egress.request({ ...traced.request, spill, signal: this.#abort.signal });
    const answer = await traced.measure(this.#parts, this.#host.masker, () => meters.measure(send));
    if (this.#stored) return { status: 'succeeded', output: answerOf(answer, this.#stored) as unknown as Json };
    const failure = failureOf(request, answer, { masker: this.#host.masker, now: clock.now() });
    return failure ?? { status: 'succeeded', output: answerOf(answer, undefined) as unknown as Json };
  }

  /** A body that is too large for a record becomes an artifact of the run, unless its status fails the request. */
  #spill(request: NodeRequest): EgressRequest['spill'] {
    const { files } = this.#host;
    if (!files) return undefined;
    const path = `answers/${this.#assignment.name}`;
    return ({ status }) => {
      if (isNominated(request, status)) return undefined;
      return async (stream) => {
        this.#stored = await files.put(path, { stream });
      };
    };
  }
}
