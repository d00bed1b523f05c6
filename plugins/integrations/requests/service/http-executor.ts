import { type Clock, type Egress, type EgressRequest, isServiceError } from '../../../../kernel/contracts/index.ts';
import type {
  ActivityHost,
  Assignment,
  Executor,
  PassEnd,
  RunningPass,
  StoredFile,
} from '../../../execution/agents/contract.ts';
import type { Completion, Json } from '../../../engine/runs/contract.ts';
import { HTTP_CAPABILITY, HTTP_EXECUTOR, type NodeRequest } from '../contract.ts';
import { toNodeAnswer } from '../domain/node-answer.ts';
import { toEgressRequest } from '../domain/egress-request.ts';
import { toSendFailure, toFailure, isNominated } from '../domain/failure.ts';
import { readAuthentication } from '../domain/authentication.ts';
import { checkRequest } from '../domain/request-rules.ts';
import type { Tracer } from '../../../platform/tracing/contract.ts';
import type { RequestMeters } from './meters.ts';
import { traceRequest } from './trace-request.ts';

export interface HttpExecutorDeps {
  egress: Egress;
  clock: Clock;
  meters: RequestMeters;
  /** The tracer of this process. Without one, the server of the agent knows only the headers that requests carry. */
  tracer: Tracer | undefined;
}

/** Sends the request of an activity. It needs no process, so a server does it itself. */
export const createHttpExecutor = (deps: HttpExecutorDeps): Executor => ({
  executor: HTTP_EXECUTOR,
  inProcess: true,
  capabilities: async () => [HTTP_CAPABILITY],
  start: (assignment, host) => new RequestPass(deps, assignment, host),
});

class RequestPass implements RunningPass {
  readonly result: Promise<PassEnd>;
  readonly #deps: HttpExecutorDeps;
  readonly #assignment: Assignment;
  readonly #host: ActivityHost;
  readonly #abort = new AbortController();
  #stopped: PassEnd | undefined;
  #stored: StoredFile | undefined;

  constructor(deps: HttpExecutorDeps, assignment: Assignment, host: ActivityHost) {
    this.#deps = deps;
    this.#assignment = assignment;
    this.#host = host;
    this.result = this.#run();
  }

  /** It is unknown whether the server acted on the request, so the next agent sends the same request again. */
  stop(reason: 'revoked' | 'draining' | 'killed'): void {
    this.#stopped ??= reason === 'draining' ? { end: 'released' } : { end: 'lost' };
    this.#abort.abort();
  }

  async #run(): Promise<PassEnd> {
    if (this.#host.hasClaim?.() === false) return { end: 'lost' };
    let completion: Completion;
    try {
      completion = await this.#sendRequest();
    } catch (error) {
      if (this.#stopped) return this.#stopped;
      if (!isServiceError(error) || error.status >= 500) throw error;
      completion = toSendFailure(error);
    }
    if (completion.status === 'failed') this.#host.log('system', Buffer.from(`${completion.message}\n`));
    return { end: 'completed', completion };
  }

  async #sendRequest(): Promise<Completion> {
    const { egress, clock, meters } = this.#deps;
    const { spec, environment } = this.#assignment;
    const request = checkRequest(spec);
    const egress_request = toEgressRequest(request, readAuthentication(environment.given), clock.now());
    const spill = this.#spill(request);
    const traced = traceRequest(this.#assignment, egress_request);
    const send = () => egress.request({ ...traced.request, spill, signal: this.#abort.signal });
    const answer = await traced.measure(this.#deps, this.#host.masker, () => meters.measure(send));
    const failure = this.#stored
      ? undefined
      : toFailure(request, answer, { masker: this.#host.masker, now: clock.now() });
    if (failure) return failure;
    return { status: 'succeeded', output: (await toNodeAnswer(answer, this.#stored)) as unknown as Json };
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
