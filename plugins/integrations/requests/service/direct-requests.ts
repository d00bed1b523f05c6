import {
  type Clock,
  type Egress,
  type EgressAnswer,
  type Expressions,
  isServiceError,
} from '../../../../kernel/contracts/index.ts';
import type { Masker, Maskers } from '../../../security/masking/contract.ts';
import { type Credentials, rawOf } from '../../../secrets/credentials/contract.ts';
import type { DirectAnswer, DirectRequest, DirectRequests, NodeRequest, ProbeOutcome } from '../contract.ts';
import { evaluateFailedWhen } from '../contract/answer-rules.ts';
import { type Authentication, requiredKinds, toAuthentication } from '../domain/authentication.ts';
import { displayUrl, toEgressRequest } from '../domain/egress-request.ts';
import { toDeclaredFailure, toPageFailure, toSendFailure, toFailure, toUnusableFailure } from '../domain/failure.ts';
import { toNodeAnswer } from '../domain/node-answer.ts';
import { PageCollector } from '../domain/pages.ts';
import { checkPlaceholder, checkRequest } from '../domain/request-rules.ts';
import type { RequestMeters } from './meters.ts';

export interface DirectRequestsDeps {
  egress: Egress;
  clock: Clock;
  expressions: Expressions;
  credentials: Credentials;
  maskers: Maskers;
  meters: RequestMeters;
}

const PROBE_TIMEOUT_MS = 10_000;
/** Without `failed_when`, only the status of a probe counts. */
const STATUS_BYTES = 1024;
/** What a system says about a caller is small. */
const PROBE_BYTES = 256 * 1024;

interface Authenticated {
  authentication: Authentication;
  masker: Masker;
}

/** Sends requests of this server's own loops in the same way as those of nodes. */
export class DirectSender implements DirectRequests {
  readonly #deps: DirectRequestsDeps;

  constructor(deps: DirectRequestsDeps) {
    this.#deps = deps;
  }

  async send(direct: DirectRequest): Promise<DirectAnswer> {
    try {
      const request = checkRequest(direct.request);
      return await this.#collect({ ...direct, request }, await this.#authenticate(direct));
    } catch (error) {
      if (!isServiceError(error)) throw error;
      return { failure: toSendFailure(error) };
    }
  }

  async probe({ request: requested, scope }: Omit<DirectRequest, 'signal'>): Promise<ProbeOutcome> {
    const { egress, clock, meters, credentials } = this.#deps;
    const request = { ...checkRequest(requested), timeout_ms: PROBE_TIMEOUT_MS };
    const { authentication, masker } = await this.#authenticate({ request, scope });
    const max_bytes = request.failed_when ? PROBE_BYTES : STATUS_BYTES;
    const sent = { ...toEgressRequest(request, authentication, clock.now()), max_bytes };
    try {
      const answer = await meters.measure(() => egress.request(sent));
      if (answer.status === 401 && request.credential !== undefined)
        credentials.reportRejected(scope, request.credential);
      return { result: 'answered', status: answer.status, ...(await this.#findFailure(request, answer)) };
    } catch (error) {
      if (!isServiceError(error)) throw error;
      return { result: 'unanswered', why: masker.text(error.message) };
    }
  }

  async #findFailure(
    { failed_when }: NodeRequest,
    answer: EgressAnswer,
  ): Promise<Pick<Extract<ProbeOutcome, { result: 'answered' }>, 'failed'>> {
    if (failed_when === undefined) return {};
    if (answer.truncated) return { failed: 'undecided' };
    const failed = evaluateFailedWhen(failed_when, await toNodeAnswer(answer, undefined), this.#deps.expressions);
    if (failed === undefined) return {};
    if (failed.reason !== undefined) return { failed: 'undecided' };
    return { failed: failed_when.retry_when !== undefined && !failed.final ? 'temporary' : 'final' };
  }

  async #authenticate({ request, scope }: Pick<DirectRequest, 'request' | 'scope'>): Promise<Authenticated> {
    const { credentials, maskers } = this.#deps;
    if (request.credential === undefined) return { authentication: { by: 'none' }, masker: maskers.masker([]) };
    const fields = await credentials.resolve(scope, {
      name: request.credential,
      kinds: requiredKinds(request),
      destination: { url: request.url },
    });
    const { value, masks } = rawOf(fields);
    const authentication = toAuthentication(fields, request);
    checkPlaceholder(authentication, request);
    // A header such as `Basic …` is another form of the value.
    const header = authentication.by === 'header' ? [authentication.value] : [];
    return { authentication, masker: maskers.masker([value, ...masks, ...header]) };
  }

  async #collect(
    { request, scope, signal }: DirectRequest,
    { authentication, masker }: Authenticated,
  ): Promise<DirectAnswer> {
    const { egress, clock, expressions, meters, credentials } = this.#deps;
    const collector = request.paginate && new PageCollector(request, request.paginate, expressions);
    for (let next: NodeRequest = request; ; ) {
      const sent = { ...toEgressRequest(next, authentication, clock.now()), redacted_url: displayUrl(request), signal };
      const answer = await meters.measure(() => egress.request(sent));
      const context = { masker, now: clock.now(), expressions };
      if (answer.status === 401 && request.credential !== undefined)
        credentials.reportRejected(scope, request.credential);
      const failure = toFailure(request, answer, context) ?? toPageFailure(request, answer, context);
      if (failure) return { failure };
      const read = await toNodeAnswer(answer, undefined);
      const declared = toDeclaredFailure(request, answer, read, context);
      if (declared) return { failure: declared };
      if (!collector) return { answer: masker.json(read) };
      const added = collector.add(read);
      if ('problem' in added) return { failure: toUnusableFailure(request, answer, added.problem) };
      if (added.next === undefined) {
        const { items, pages, complete } = collector;
        return { answer: masker.json({ ...read, last_body: read.body, body: items, pages, complete }) };
      }
      next = added.next;
    }
  }
}
