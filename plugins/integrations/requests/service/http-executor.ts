import {
  type Clock,
  type Egress,
  type EgressAnswer,
  type EgressRequest,
  type Expressions,
  isServiceError,
  ServiceError,
} from '../../../../kernel/contracts/index.ts';
import type {
  ActivityHost,
  Assignment,
  Executor,
  PassEnd,
  RunningPass,
  StoredFile,
} from '../../../execution/agents/contract.ts';
import type { Completion, Failure, Json } from '../../../engine/runs/contract.ts';
import {
  ANSWER_RULES_CAPABILITY,
  HTTP_CAPABILITY,
  HTTP_EXECUTOR,
  type NodeRequest,
  type Pagination,
} from '../contract.ts';
import { toNodeAnswer } from '../domain/node-answer.ts';
import { displayUrl, toEgressRequest } from '../domain/egress-request.ts';
import {
  toDeclaredFailure,
  toSendFailure,
  toFailure,
  toPageFailure,
  toUnusableFailure,
  isNominated,
} from '../domain/failure.ts';
import { readAuthentication } from '../domain/authentication.ts';
import { PageCollector } from '../domain/pages.ts';
import { checkRequest } from '../domain/request-rules.ts';
import type { Tracer } from '../../../platform/tracing/contract.ts';
import type { RequestMeters } from './meters.ts';
import { traceRequest } from './trace-request.ts';

export interface HttpExecutorDeps {
  egress: Egress;
  clock: Clock;
  /** Loads the expression language at its first use. */
  expressions: Expressions;
  meters: RequestMeters;
  /** The tracer of this process. Without one, the server of the agent knows only the headers that requests carry. */
  tracer: Tracer | undefined;
}

/** Sends the request of an activity. It needs no process, so a server does it itself. */
export const createHttpExecutor = (deps: HttpExecutorDeps): Executor => ({
  executor: HTTP_EXECUTOR,
  inProcess: true,
  capabilities: async () => [HTTP_CAPABILITY, ANSWER_RULES_CAPABILITY],
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
    const request = checkRequest(this.#assignment.spec);
    if (request.paginate) return this.#collectPages(request, request.paginate);
    const answer = await this.#exchange(request, { spill: this.#spill(request) });
    const failure = this.#stored ? undefined : toFailure(request, answer, this.#context());
    if (failure) return failure;
    const read = await toNodeAnswer(answer, this.#stored);
    const declared = toDeclaredFailure(request, answer, read, this.#context());
    return declared ?? { status: 'succeeded', output: read as unknown as Json };
  }

  /** Sends the request for one page after the other. A page that fails ends the attempt, which then starts again. */
  async #collectPages(request: NodeRequest, paginate: Pagination): Promise<Completion> {
    const collector = new PageCollector(request, paginate, this.#deps.expressions);
    for (let page = 1, next: NodeRequest | undefined = request; ; page += 1) {
      if (this.#host.hasClaim?.() === false) this.stop('revoked');
      const answer: EgressAnswer = await this.#exchange(next, { page, first: request }).catch((error: unknown) => {
        throw isServiceError(error)
          ? new ServiceError(error.definition, `page ${page}: ${error.message}`, error.extras)
          : error;
      });
      const failed = (failure: Failure): Failure => ({ ...failure, message: `page ${page}: ${failure.message}` });
      const failure = toFailure(request, answer, this.#context()) ?? toPageFailure(request, answer, this.#context());
      if (failure) return failed(failure);
      const read = await toNodeAnswer(answer, undefined);
      const declared = toDeclaredFailure(request, answer, read, this.#context());
      if (declared) return failed(declared);
      const added = collector.add(read);
      if ('problem' in added) return failed(toUnusableFailure(request, answer, added.problem));
      next = added.next;
      const { items, pages, complete } = collector;
      if (next === undefined)
        return { status: 'succeeded', output: { ...read, body: items, pages, complete } as unknown as Json };
    }
  }

  #context() {
    const { clock, expressions } = this.#deps;
    return { masker: this.#host.masker, now: clock.now(), expressions };
  }

  /** Sends one request, and counts and traces it. Messages show the first request of several, because a link may contain a secret. */
  #exchange(
    request: NodeRequest,
    { page, first = request, spill }: { page?: number; first?: NodeRequest; spill?: EgressRequest['spill'] },
  ): Promise<EgressAnswer> {
    const { egress, clock, meters } = this.#deps;
    const authentication = readAuthentication(this.#assignment.environment.given);
    const egress_request = {
      ...toEgressRequest(request, authentication, clock.now()),
      redacted_url: displayUrl(first),
    };
    const traced = traceRequest(this.#assignment, egress_request, page);
    const send = () => egress.request({ ...traced.request, spill, signal: this.#abort.signal });
    return traced.measure(this.#deps, this.#host.masker, () => meters.measure(send));
  }

  /**
   * A body that is too large for a record becomes an artifact of the run, unless its status fails the request, or
   * `failed_when` has to read it.
   */
  #spill(request: NodeRequest): EgressRequest['spill'] {
    const { files } = this.#host;
    if (!files || request.failed_when) return undefined;
    const path = `answers/${this.#assignment.name}`;
    return ({ status }) => {
      if (isNominated(request, status)) return undefined;
      return async (stream) => {
        this.#stored = await files.put(path, { stream });
      };
    };
  }
}
