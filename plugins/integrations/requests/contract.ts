import { token } from '../../../kernel/contracts/index.ts';
import type { CredentialKind } from '../../secrets/credentials/contract.ts';
import type { ProjectScope } from '../../platform/resources/contract.ts';
import type { FlowNodeContext, FlowNodeOutcome } from '../../engine/flows/contract.ts';
import type { Failure, Json } from '../../engine/runs/contract.ts';

import type { AnswerRules } from './contract/answer-rules.ts';

export { type AnswerRules, evaluateFailedWhen, readPage, validateAnswerRules } from './contract/answer-rules.ts';
export type { FailedWhen, Pagination } from './generated/http-config.ts';
export { keyText } from './contract/key-text.ts';
export { validateHeaders, headerTexts, NODE_HEADERS, type NodeHeaders } from './contract/node-headers.ts';

/** The capability of agents that may make outbound requests. */
export const HTTP_CAPABILITY = 'http';

/**
 * The capability of senders that apply `failed_when` and `paginate`. Servers and agents of an earlier release lack it, so
 * they do not claim such a request during an upgrade.
 */
export const ANSWER_RULES_CAPABILITY = 'http.answer-rules';

/** The executor of requests. */
export const HTTP_EXECUTOR = 'http';

/** The placeholder in a URL that the token of a `url_token` credential replaces when the request is sent. */
export const CREDENTIAL_PLACEHOLDER = '{credential}';

type Scalar = string | number | boolean;

/**
 * How a request is signed when it is sent: an HMAC whose key is the value of its credential. The credential itself is
 * not sent then.
 */
export interface RequestSignature {
  /** Gets `prefix` and the signature. */
  header: string;
  algorithm: 'sha256' | 'sha1' | 'sha512';
  encoding: 'hex' | 'base64';
  prefix?: string;
  /** The signed text, with `{body}` (the bytes), `{timestamp}` and `{id}`. */
  signs: string;
  /** Gets the time of the attempt in seconds. */
  timestamp_header?: string;
  /** The header of the request whose value is `{id}`. */
  id_header?: string;
  /** The encoding of the key. By default the text itself is the key. */
  key?: { prefix?: string; encoding: 'base64' | 'hex' | 'text' };
}

/**
 * One request of a node, complete except for its credential. It is stored sealed with its activity and contains no
 * secret.
 */
export interface NodeRequest extends AnswerRules {
  method: string;
  /** The URL, which may contain `{credential}`. */
  url: string;
  /** Added to the URL, encoded. */
  query?: { readonly [name: string]: Scalar | readonly Scalar[] | null };
  /**
   * Headers, which win over those that the service sends: content type, idempotency key, and the header of a
   * credential.
   */
  headers?: { readonly [name: string]: string };
  /** The body. JSON is sent as `application/json`, and a text unchanged. Without it, no body is sent. */
  body?: Json;
  /** The encoding of the body. The default is `json`, or `text` when the body is a text. */
  encoding?: 'json' | 'form' | 'text';
  /** The name of a credential or an account. */
  credential?: string;
  /** The kinds that the credential may have, and the header of an `api_key`, which wins over the stored one. */
  requires_credential?: { readonly kinds: readonly CredentialKind[]; readonly header?: string };
  sign?: RequestSignature;
  /** Statuses that fail the request. Others are data. */
  retry_on?: readonly number[];
  /** When true, statuses 4xx and 5xx fail the request. */
  fail_on_error_status?: boolean;
  /** The timeout of the request with its response, from 1 to 3,600,000 ms. The default is 60 s. */
  timeout_ms?: number;
}

/** The output of a node that sent a request. */
export interface NodeAnswer {
  status: number;
  /** Names in lower case; repeated headers are joined by `, `. */
  headers: { readonly [name: string]: string };
  /**
   * JSON when the answer is JSON, else the text; null without a body. Bytes that are no text are `{"base64": "…"}`.
   */
  body: Json;
  /** The artifact of the run that holds a body over 2 MiB. `body` is null then. */
  artifact?: { path: string; size: number; digest: string };
  /** With `paginate`: the number of pages. `body` is then the list of all their items. */
  pages?: number;
  /** With `paginate`: false when a limit ended the list early. */
  complete?: boolean;
  /** With `paginate`, outside of runs: the body of the last page. */
  last_body?: Json;
}

/** Turns the requests of nodes into activities. */
export interface NodeRequests {
  /**
   * Checks a rendered request and turns it into an activity for the executor `http`. Throws `request_invalid` with
   * pointers into the request. The credential is resolved when the activity is claimed. POST and PATCH carry the key of
   * the node as `Idempotency-Key`, unless the request has that header.
   */
  begin(node: Pick<FlowNodeContext, 'name' | 'key' | 'timeout_ms'>, request: NodeRequest): FlowNodeOutcome;
}

export const NodeRequests = token<NodeRequests>('requests.NodeRequests');

/** A request outside of a run, such as a poll. */
export interface DirectRequest {
  request: NodeRequest;
  scope: ProjectScope;
  /** Ends the request with all its pages. */
  signal: AbortSignal;
}

/**
 * The answer with all texts of the credential masked, or why there is none. `failure.message` shows neither the
 * credential nor the query.
 */
export type DirectAnswer = { answer: NodeAnswer } | { failure: Failure };

/**
 * What came of a request that only asks whether its credential is accepted. It contains nothing of the answer but the
 * status. `failed` is set when `failed_when` does not let the answer pass: it is a failure, one that may pass, or the
 * expression has no value.
 */
export type ProbeOutcome =
  | { result: 'answered'; status: number; failed?: 'final' | 'temporary' | 'undecided' }
  | { result: 'unanswered'; why: string };

export interface DirectRequests {
  /** Sends a request and reads all its pages. Only an error of this process makes it throw. */
  send(direct: DirectRequest): Promise<DirectAnswer>;
  /**
   * Sends a request once, for 10 seconds at most, and reads no more of its answer than `failed_when` needs. Throws
   * `request_invalid` and the errors of `Credentials.resolve`; then nothing was sent.
   */
  probe(direct: Omit<DirectRequest, 'signal'>): Promise<ProbeOutcome>;
}

export const DirectRequests = token<DirectRequests>('requests.DirectRequests');
