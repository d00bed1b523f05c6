import { token } from '../../kernel/contracts/index.ts';
import type { CredentialKind } from '../credentials/contract.ts';
import type { FlowNodeContext, FlowNodeOutcome } from '../flows/contract.ts';
import type { Json } from '../runs/contract.ts';

export { keyText } from './contract/key-text.ts';
export { headerFaults, headerTexts, NODE_HEADERS, type NodeHeaders } from './contract/node-headers.ts';

/** The capability that an agent announces when it may make outbound requests. */
export const HTTP_CAPABILITY = 'http';

/** The executor of requests. */
export const HTTP_EXECUTOR = 'http';

/** What stands in a URL where the token of a `url_token` credential is put when the request is sent. */
export const CREDENTIAL_HOLE = '{credential}';

type Scalar = string | number | boolean;

/**
 * How a request is signed when it is sent: an HMAC whose key is the value of its credential. The credential itself is not
 * sent then.
 */
export interface RequestSignature {
  /** Gets `prefix` and the signature. */
  header: string;
  algorithm: 'sha256' | 'sha1' | 'sha512';
  encoding: 'hex' | 'base64';
  prefix?: string;
  /** What is signed: text with `{body}` (the bytes), `{timestamp}` and `{id}`. */
  signs: string;
  /** Gets the time of the attempt in seconds. */
  timestamp_header?: string;
  /** A header of the request: its value is `{id}`. */
  id_header?: string;
  /** How the key is written. Absent: the text itself. */
  key?: { prefix?: string; encoding: 'base64' | 'hex' | 'text' };
}

/** One request of a node, complete but for its credential. It is stored sealed with its activity, and holds no secret. */
export interface NodeRequest {
  method: string;
  /** May hold `{credential}`. */
  url: string;
  /** Added to the URL, encoded. */
  query?: { readonly [name: string]: Scalar | readonly Scalar[] | null };
  /** They win over what the service would send: content type, idempotency key, the header of a credential. */
  headers?: { readonly [name: string]: string };
  /** JSON is sent as `application/json`; a text as it is. Absent: no body. */
  body?: Json;
  /** How the body is written. Default: `json`, or `text` when the body is a text. */
  encoding?: 'json' | 'form' | 'text';
  /** Name of a credential or an account. */
  credential?: string;
  /** The kinds that the credential may have, and the header of an `api_key` that wins over the stored one. */
  requires_credential?: { readonly kinds: readonly CredentialKind[]; readonly header?: string };
  sign?: RequestSignature;
  /** Statuses that fail the request. Others are data. */
  retry_on?: readonly number[];
  /** True: 4xx and 5xx fail the request. */
  fail_on_error_status?: boolean;
  /** For the whole exchange, 1 to 3,600,000. Default 60 s. */
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
  /** A body over 2 MiB: an artifact of the run. `body` is null then. */
  artifact?: { path: string; size: number; digest: string };
}

/** Makes requests of nodes to activities. */
export interface NodeRequests {
  /**
   * Checks a rendered request and makes it an activity for executor `http`. Throws `request_invalid` with pointers of the
   * request. The credential is resolved when the activity is claimed. POST and PATCH carry the key of the node as
   * `Idempotency-Key` unless the request has that header.
   */
  begin(node: Pick<FlowNodeContext, 'name' | 'key' | 'timeout_ms'>, request: NodeRequest): FlowNodeOutcome;
}

export const NodeRequests = token<NodeRequests>('requests.NodeRequests');
