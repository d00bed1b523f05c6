// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * Any JSON. `{{ }}` in a string is replaced with its value. An object `{"$map": {on, cases, default}}` is replaced with one of its cases.
 */
export type Template = null | boolean | number | string | Template[] | {};
export type Name = string;
export type HeaderName = string;
export type PartName = string;
/**
 * The location of a delivery's type, and how svc converts it to an event type.
 */
export type EventTypePlace =
  | {
      header: HeaderName;
      /**
       * The sender's types and the corresponding event types.
       */
      map?: {
        [k: string]: string;
      };
      /**
       * Replaces every sequence of characters that an event type cannot contain: `orders/create` becomes `orders.create`. By default, such a delivery is rejected.
       */
      other?: '.' | '-' | '_';
      /**
       * `lower`: uppercase letters become lowercase.
       */
      case?: 'lower';
      /**
       * The event type for deliveries without a type.
       */
      default?: string;
    }
  | {
      pointer: Pointer;
      /**
       * Several locations, tried in order.
       *
       * @maxItems 8
       */
      or?:
        | []
        | [Pointer]
        | [Pointer, Pointer]
        | [Pointer, Pointer, Pointer]
        | [Pointer, Pointer, Pointer, Pointer]
        | [Pointer, Pointer, Pointer, Pointer, Pointer]
        | [Pointer, Pointer, Pointer, Pointer, Pointer, Pointer]
        | [Pointer, Pointer, Pointer, Pointer, Pointer, Pointer, Pointer]
        | [Pointer, Pointer, Pointer, Pointer, Pointer, Pointer, Pointer, Pointer];
      /**
       * The sender's types and the corresponding event types.
       */
      map?: {
        [k: string]: string;
      };
      /**
       * Replaces every sequence of characters that an event type cannot contain: `orders/create` becomes `orders.create`. By default, such a delivery is rejected.
       */
      other?: '.' | '-' | '_';
      /**
       * `lower`: uppercase letters become lowercase.
       */
      case?: 'lower';
      /**
       * The event type for deliveries without a type.
       */
      default?: string;
    };
export type Pointer = string;
/**
 * The location of a value in the delivery: a header, or a JSON pointer into the body.
 */
export type DeliveryPlace =
  | {
      header: HeaderName;
    }
  | {
      pointer: Pointer;
    };
/**
 * The user who caused the delivery: the first of these values that exists.
 *
 * @minItems 1
 */
export type Pointers = [Pointer, ...Pointer[]];
/**
 * @minItems 1
 */
export type Pointers1 = [Pointer, ...Pointer[]];
/**
 * @maxItems 100
 */
export type Members = string[];

/**
 * svc-connector/v1: describes another system and its API as data.
 */
export interface ConnectorManifest {
  manifest: 'svc-connector/v1';
  /**
   * First part of the node type `<connector>.<action>`.
   */
  name: string;
  title: string;
  description?: string;
  credential?: ManifestCredential;
  test?: ManifestTest;
  /**
   * The fields that an author sets once per node, in its `with`.
   *
   * @maxItems 64
   */
  fields?: ManifestValue[];
  actions?: {
    [k: string]: ManifestAction;
  };
  /**
   * Lists that svc reads again and again: each new item becomes an event.
   */
  triggers?: {
    [k: string]: ManifestTrigger;
  };
  hook?: HookSection;
  forge?: ForgeSection;
  /**
   * @maxItems 256
   */
  examples?: ManifestExample[];
}
export interface ManifestCredential {
  kind: 'bearer' | 'api_key' | 'basic' | 'url_token';
  /**
   * Default true.
   */
  required?: boolean;
  /**
   * For `api_key`: the header that contains the key, instead of the header stored with the credential.
   */
  header?: string;
}
/**
 * A harmless request that shows whether the other system accepts a credential. `svc credential test` sends it.
 */
export interface ManifestTest {
  request: RequestTemplate;
  /**
   * The statuses that show that the credential is accepted. Default: 200 to 299.
   *
   * @maxItems 64
   */
  accepted?: number[];
  /**
   * The statuses that show that the credential is rejected. Default: 401 and 403.
   *
   * @maxItems 64
   */
  refused?: number[];
  failed_when?: FailedWhen;
}
/**
 * One HTTP request; its strings can contain `{{ }}` over `with`, `input` and `node`.
 */
export interface RequestTemplate {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /**
   * A URL that begins with `https://`, or with an expression that returns the beginning of the URL. Each value is percent-encoded; `path(…)` keeps its slashes.
   */
  url: string;
  query?: {
    [k: string]: Template;
  };
  headers?: {
    [k: string]: Template;
  };
  body?: Template;
  /**
   * The encoding of the body. Default json.
   */
  encoding?: 'json' | 'form' | 'text';
  sign?: ManifestSign;
}
/**
 * The credential's value signs the request and is not sent. Each attempt is signed separately.
 */
export interface ManifestSign {
  /**
   * The header for the signature.
   */
  header: string;
  algorithm: 'sha256' | 'sha1' | 'sha512';
  encoding: 'hex' | 'base64';
  /**
   * The text before the signature.
   */
  prefix?: string;
  /**
   * What is signed; `{body}`, `{timestamp}` and `{id}` are parts of the request.
   */
  signs: string;
  /**
   * The header for the time in seconds.
   */
  timestamp_header?: string;
  /**
   * The header whose value is `{id}`, one of `headers`.
   */
  id_header?: string;
  key?: KeyForm;
}
/**
 * The encoding of the key. Default: the text itself is the key.
 */
export interface KeyForm {
  /**
   * A prefix that is removed from the key if it is present.
   */
  prefix?: string;
  encoding: 'base64' | 'hex' | 'text';
}
/**
 * Which responses with a success status fail the attempt. Each member is CEL over `status`, `headers` and `body`.
 */
export interface FailedWhen {
  /**
   * True for a failure, such as `body.ok == false`. If it cannot be evaluated, the response is a failure too.
   */
  when: string;
  /**
   * The text of the error, such as `body.error`. Default: the start of the body.
   */
  message?: string;
  /**
   * True if another attempt can succeed, such as `body.error == "ratelimited"`. Default: every failure can be retried.
   */
  retry_when?: string;
}
export interface ManifestValue {
  name: Name;
  type: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' | 'any';
  /**
   * Default false.
   */
  required?: boolean;
  /**
   * The default value.
   */
  default?: null | boolean | number | string | unknown[] | {};
  /**
   * @maxItems 256
   */
  one_of?: string[];
  /**
   * The text is Markdown; only for inputs.
   */
  markdown?: boolean;
  title?: string;
  description?: string;
}
export interface ManifestAction {
  title?: string;
  description?: string;
  /**
   * @maxItems 64
   */
  inputs?: ManifestValue[];
  /**
   * Accepts inputs that are not listed, such as an entire event. Default false.
   */
  more_inputs?: boolean;
  request: RequestTemplate;
  failed_when?: FailedWhen;
  paginate?: Pagination;
}
/**
 * Reads a list that the other system returns in pages: the request is sent for each page, and the output's `body` is the list of all items.
 */
export interface Pagination {
  /**
   * What selects the next page: a cursor in the response, the number of the page, the number of items before it, or a link in the response.
   */
  kind: 'cursor' | 'page' | 'offset' | 'link';
  /**
   * CEL: the list in a response, such as `body.items`.
   */
  items: string;
  /**
   * CEL, for `cursor` and `link`: the next cursor or address. An empty or missing value ends the list. Default for `link`: `next` in the Link header.
   */
  next?: string;
  /**
   * CEL, for `page` and `offset`: whether there are more pages, such as `body.has_more`. Default: until a page has no items.
   */
  more?: string;
  /**
   * The parameter of the URL for the cursor, the page or the offset.
   */
  query?: string;
  /**
   * Instead of `query`: a JSON pointer into the request's body.
   */
  body?: string;
  /**
   * The number of the first page (default 1) or the first offset (default 0).
   */
  first?: number;
  /**
   * At most this many pages are read. Default 100.
   */
  max_pages?: number;
  /**
   * At most this many items are returned. Default 10,000.
   */
  max_items?: number;
}
export interface ManifestTrigger {
  title?: string;
  description?: string;
  /**
   * @maxItems 64
   */
  inputs?: ManifestValue[];
  request: RequestTemplate;
  failed_when?: FailedWhen;
  paginate?: Pagination;
  /**
   * CEL over `status`, `headers` and `body`: the list in the response. Only without `paginate`, which has its own.
   */
  items?: string;
  /**
   * CEL over `item`: the ID that identifies an item. Each ID becomes one event.
   */
  id: string;
  cursor?: TriggerCursor;
  /**
   * The list begins with the oldest items, so the cursor can move even if a limit ends the list early. Default false.
   */
  oldest_first?: boolean;
  event: TriggerEvent;
  every?: TriggerInterval;
  /**
   * Default true. `false` if outsiders can create items; runs that such events start are then untrusted.
   */
  trusted?: boolean;
  /**
   * The time limit of a poll, including all its pages, from 1s to 2m. Default 30s.
   */
  timeout?: string;
}
/**
 * The value that the next poll reads as `input.cursor`.
 */
export interface TriggerCursor {
  /**
   * `items`: the greatest value of all items. `response`: the value of the last response.
   */
  of: 'items' | 'response';
  /**
   * CEL over `item`, or over `status`, `headers` and `body`.
   */
  value: string;
}
export interface TriggerEvent {
  /**
   * The type of the events.
   */
  type: string;
  /**
   * CEL over `item`: the key of the event.
   */
  key?: string;
  /**
   * CEL over `item`: the payload. Default: the item.
   */
  payload?: string;
}
/**
 * How often the list is read.
 */
export interface TriggerInterval {
  /**
   * Default 5m.
   */
  default?: string;
  /**
   * The shortest interval that a project can set, from 10s to 1d. Default 1m.
   */
  least?: string;
}
/**
 * How the sender proves that a delivery is genuine: with a signature or a token.
 */
export interface HookSection {
  signature?: SignatureSection;
  token?: TokenSection;
  event_type?: EventTypePlace;
  delivery_id?: DeliveryPlace;
  challenge?: HookChallenge;
  /**
   * If false, outsiders can cause deliveries, so their events are untrusted. The default is true, because the project decides who gets the key.
   */
  trusted?: boolean;
}
export interface SignatureSection {
  header: HeaderName;
  /**
   * An HMAC with a shared key, or `ecdsa-sha256` and `ed25519` with the sender's public key.
   */
  algorithm: 'sha256' | 'sha1' | 'sha512' | 'ecdsa-sha256' | 'ed25519';
  encoding: 'hex' | 'base64';
  /**
   * The text before the signature in its header. If there are several signatures, separated by spaces, all are tried.
   */
  prefix?: string;
  parts?: HeaderParts;
  /**
   * What is signed; `{body}` (the raw bytes), `{timestamp}` and `{id}` are parts of the delivery. Default `{body}`.
   */
  signs?: string;
  timestamp_header?: HeaderName;
  /**
   * Default `s`.
   */
  timestamp_unit?: 's' | 'ms';
  /**
   * The largest allowed difference between the timestamp and the current time. Default 5m.
   */
  tolerance?: string;
  key?: KeyForm;
}
/**
 * The names of the parts, for a header with named parts such as `t=1614265330,v1=5f…,v1=a0…`. Every part with the signature's name is tried.
 */
export interface HeaderParts {
  /**
   * The separator of the parts. Default `,`.
   */
  separator?: ',' | ';' | ' ';
  signature: PartName;
  /**
   * The location of the timestamp, if it has no separate header.
   */
  timestamp?: string;
}
/**
 * The sender sends the key itself in a header.
 */
export interface TokenSection {
  header: HeaderName;
  /**
   * The prefix of the key, such as `Bearer `.
   */
  prefix?: string;
}
/**
 * A verified delivery that the sender uses only to check the address. The response repeats a value from it, and svc records no event.
 */
export interface HookChallenge {
  /**
   * How to recognize it.
   */
  pointer: string;
  equals: string;
  /**
   * The response, as plain text.
   */
  answer: string;
}
/**
 * How to read a forge's deliveries, which of them to trust, and how to register webhooks.
 */
export interface ForgeSection {
  /**
   * Full name of the repository.
   */
  repo: string;
  sender: Pointers;
  /**
   * The form field that contains the JSON of a form-encoded delivery. Absent if the sender sends no forms.
   */
  form_field?: string;
  push: PushSection;
  /**
   * For deliveries other than pushes: where to find each field. The first value that exists is used.
   */
  fields?: {
    sha?: Pointers1;
    ref?: Pointers1;
  };
  shape?: ForgeShape;
  /**
   * For each event, CEL over `payload` that is true if only project members can have caused it. An event without an expression, or whose expression cannot be evaluated, is untrusted.
   */
  trust: {
    [k: string]: string;
  };
  api?: ForgeApi;
}
export interface PushSection {
  /**
   * The forge's name for a push.
   */
  event: string;
  ref: Pointer;
  sha: Pointer;
  /**
   * The list of commits.
   */
  commits: string;
  /**
   * The members of a commit that list its files.
   *
   * @minItems 1
   */
  paths: [Name, ...Name[]];
  /**
   * CEL over `payload`: whether the lists contain all changed files. If commits or their lists are missing, the result is always false.
   */
  paths_known: string;
  /**
   * CEL over `payload`: whether the ref was removed.
   */
  deleted?: string;
}
/**
 * The top-level members of an event's body. For forges whose signature does not cover the header with the event name: a delivery is untrusted if its body does not match that name.
 */
export interface ForgeShape {
  /**
   * For each event, the members that its body must contain.
   */
  needs: {
    [k: string]: Members;
  };
  /**
   * For each member, the events whose bodies can contain it. A member that is not listed can be in any body.
   */
  only: {
    [k: string]: Members;
  };
}
/**
 * Manages webhooks through the forge's API. Paths contain `{repo}`, `{page}` and `{id}`; strings in bodies contain `{delivery_url}` and `{secret}`.
 */
export interface ForgeApi {
  /**
   * The address of the API. By default, each webhook defines it.
   */
  base?: string;
  headers?: {
    [k: string]: string;
  };
  list: ForgeCall;
  /**
   * A page with fewer entries is the last one.
   */
  page_size: number;
  create: ForgeCall;
  update: ForgeCall;
  remove: ForgeCall;
  file?: ForgeFile;
  /**
   * In an entry: the address of the deliveries.
   */
  url: string;
  /**
   * The ID of an entry.
   */
  id: string;
  /**
   * @minItems 1
   */
  events: [string, ...string[]];
}
export interface ForgeCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  /**
   * A string that consists of `{events}` is replaced with the list of events.
   */
  body?: {
    [k: string]: unknown;
  };
}
/**
 * How to read a repository file unchanged. The path contains `{repo}` and `{path}`, and `ref` contains `{ref}`.
 */
export interface ForgeFile {
  path: string;
  /**
   * The text that is added to the path to read from a branch, a tag or a commit.
   */
  ref: string;
  headers?: {
    [k: string]: string;
  };
}
/**
 * A test of an action or a delivery.
 */
export interface ManifestExample {
  title?: string;
  action?: string;
  with?: {
    [k: string]: unknown;
  };
  input?: {
    [k: string]: unknown;
  };
  node?: {
    [k: string]: unknown;
  };
  /**
   * The action's request, field by field.
   */
  request?: {
    [k: string]: unknown;
  };
  /**
   * If nothing is sent, the pointer to the invalid value, such as `/input/sha`.
   */
  refused?: string;
  /**
   * The other system's response.
   */
  response?: {
    [k: string]: unknown;
  };
  /**
   * The error's text, if `failed_when` of the action recognizes the response as a failure.
   */
  failed?: string;
  delivery?: ExampleDelivery;
}
export interface ExampleDelivery {
  key: string;
  /**
   * The delivery's arrival time, for sections with a time window.
   */
  at?: string;
  headers: {
    [k: string]: string;
  };
  /**
   * The bytes, as text.
   */
  body: string;
  accepted: boolean;
  event_type?: string;
  delivery_id?: string;
}
