// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export type Name = string;
/**
 * Any JSON. A `{{ }}` hole in a string is replaced; an object `{"$map": {on, cases, default}}` chooses.
 */
export type Template = null | boolean | number | string | Template[] | {};
export type HeaderName = string;
export type PartName = string;
/**
 * Where a delivery has its type, and how that becomes a type of events.
 */
export type EventTypePlace =
  | {
      header: HeaderName;
      /**
       * Types of the sender and what they are called here.
       */
      map?: {
        [k: string]: string;
      };
      /**
       * Stands for every run of characters that an event type cannot have: `orders/create` becomes `orders.create`. Absent: such a delivery is refused.
       */
      other?: '.' | '-' | '_';
      /**
       * `lower`: capital letters become small ones.
       */
      case?: 'lower';
      /**
       * Of deliveries in which there is none.
       */
      default?: string;
    }
  | {
      pointer: Pointer;
      /**
       * Further places, tried in their order.
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
       * Types of the sender and what they are called here.
       */
      map?: {
        [k: string]: string;
      };
      /**
       * Stands for every run of characters that an event type cannot have: `orders/create` becomes `orders.create`. Absent: such a delivery is refused.
       */
      other?: '.' | '-' | '_';
      /**
       * `lower`: capital letters become small ones.
       */
      case?: 'lower';
      /**
       * Of deliveries in which there is none.
       */
      default?: string;
    };
export type Pointer = string;
/**
 * Where something of a delivery is found: in a header, or in the JSON body by a JSON pointer.
 */
export type DeliveryPlace =
  | {
      header: HeaderName;
    }
  | {
      pointer: Pointer;
    };
/**
 * Who did it; the first that is there.
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
 * svc-connector/v1: what a far end is and how it is spoken to, as data.
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
  /**
   * What an author fills in once per use: the node's `with`.
   *
   * @maxItems 64
   */
  fields?: ManifestValue[];
  actions?: {
    [k: string]: ManifestAction;
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
   * Of api_key: the header that carries the key, whatever the stored one says.
   */
  header?: string;
}
export interface ManifestValue {
  name: Name;
  type: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' | 'any';
  /**
   * Default false.
   */
  required?: boolean;
  /**
   * Taken where none is given.
   */
  default?: null | boolean | number | string | unknown[] | {};
  /**
   * @maxItems 256
   */
  one_of?: string[];
  /**
   * The text is Markdown: of inputs only.
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
   * Inputs beyond those named are taken too: a whole event. Default false.
   */
  more_inputs?: boolean;
  request: RequestTemplate;
}
/**
 * One HTTP request; its strings may hold `{{ }}` over `with`, `input` and `node`.
 */
export interface RequestTemplate {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /**
   * `https://…`, or a hole with the beginning of an address. A value is percent-encoded in its place; `path(…)` keeps its slashes.
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
   * Of the body. Default json.
   */
  encoding?: 'json' | 'form' | 'text';
  sign?: ManifestSign;
}
/**
 * The request is signed with the value of its credential, which is not sent then. Signed are the bytes of each attempt.
 */
export interface ManifestSign {
  /**
   * Gets the signature.
   */
  header: string;
  algorithm: 'sha256' | 'sha1' | 'sha512';
  encoding: 'hex' | 'base64';
  /**
   * What stands before the signature.
   */
  prefix?: string;
  /**
   * What is signed; `{body}`, `{timestamp}` and `{id}` are parts of the request.
   */
  signs: string;
  /**
   * Gets the time in seconds.
   */
  timestamp_header?: string;
  /**
   * One of `headers`: its value is `{id}`.
   */
  id_header?: string;
  key?: KeyForm;
}
/**
 * How a key is written. Absent: the text itself is the key.
 */
export interface KeyForm {
  /**
   * Left out where it is there.
   */
  prefix?: string;
  encoding: 'base64' | 'hex' | 'text';
}
/**
 * How a far end proves that a delivery is its own: by a signature or by a token.
 */
export interface HookSection {
  signature?: SignatureSection;
  token?: TokenSection;
  event_type?: EventTypePlace;
  delivery_id?: DeliveryPlace;
  challenge?: HookChallenge;
  /**
   * False: strangers can cause deliveries, so their events are untrusted. Default true: the project chose who holds the key.
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
   * What stands before the signature in its header; several signatures apart by spaces are all tried.
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
   * How far the timestamp may be from now, either way. Default 5m.
   */
  tolerance?: string;
  key?: KeyForm;
}
/**
 * The header has named parts, `t=1614265330,v1=5f…,v1=a0…`: every signature of that name is tried.
 */
export interface HeaderParts {
  /**
   * Between the parts. Default `,`.
   */
  separator?: ',' | ';' | ' ';
  signature: PartName;
  /**
   * Where the timestamp is, if it has no header of its own.
   */
  timestamp?: string;
}
/**
 * The sender shows the key itself in a header.
 */
export interface TokenSection {
  header: HeaderName;
  /**
   * What stands before it: `Bearer `.
   */
  prefix?: string;
}
/**
 * A verified delivery that only asks whether somebody is there: it is answered with what it holds, and becomes no event.
 */
export interface HookChallenge {
  /**
   * What tells it from other deliveries.
   */
  pointer: string;
  equals: string;
  /**
   * What is sent back, as plain text.
   */
  answer: string;
}
/**
 * What a forge says in its deliveries, whom it trusts, and how it is asked for them.
 */
export interface ForgeSection {
  /**
   * Full name of the repository.
   */
  repo: string;
  sender: Pointers;
  /**
   * Where a form-encoded delivery has its JSON. Absent: there are none.
   */
  form_field?: string;
  push: PushSection;
  /**
   * Of deliveries that are no pushes; the first that is there.
   */
  fields?: {
    sha?: Pointers1;
    ref?: Pointers1;
  };
  shape?: ForgeShape;
  /**
   * By event: CEL over `payload` that is true when only people of the project can have had a hand in it. An event without one, or whose expression cannot be evaluated, is untrusted.
   */
  trust: {
    [k: string]: string;
  };
  api?: ForgeApi;
}
export interface PushSection {
  /**
   * What the forge calls a push.
   */
  event: string;
  ref: Pointer;
  sha: Pointer;
  /**
   * The list of commits.
   */
  commits: string;
  /**
   * Members of a commit that list files.
   *
   * @minItems 1
   */
  paths: [Name, ...Name[]];
  /**
   * CEL over `payload`: are these all files? Where commits or their lists are missing they are not, whatever this says.
   */
  paths_known: string;
  /**
   * CEL over `payload`: was the ref removed?
   */
  deleted?: string;
}
/**
 * Which members the body of an event has at its top. The name of an event stands in a header that no signature covers: what was signed as another event is untrusted under that name.
 */
export interface ForgeShape {
  /**
   * By event: members that its body has.
   */
  needs: {
    [k: string]: Members;
  };
  /**
   * By member: the events whose bodies may have it. A member that is not named may be in every body.
   */
  only: {
    [k: string]: Members;
  };
}
/**
 * Webhooks over the API of the forge. Paths hold `{repo}`, `{page}` and `{id}`; strings of bodies `{delivery_url}` and `{secret}`.
 */
export interface ForgeApi {
  /**
   * Absent: each webhook names its own.
   */
  base?: string;
  headers?: {
    [k: string]: string;
  };
  list: ForgeCall;
  /**
   * A page with fewer entries is the last.
   */
  page_size: number;
  create: ForgeCall;
  update: ForgeCall;
  remove: ForgeCall;
  file?: ForgeFile;
  /**
   * Of an entry: where it delivers to.
   */
  url: string;
  /**
   * Of an entry.
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
   * `{events}` as a whole string stands for the list of events.
   */
  body?: {
    [k: string]: unknown;
  };
}
/**
 * How a file of a repository is read as it is. The path holds `{repo}` and `{path}`, `ref` holds `{ref}`.
 */
export interface ForgeFile {
  path: string;
  /**
   * Added to the path for a branch, a tag or a commit.
   */
  ref: string;
  headers?: {
    [k: string]: string;
  };
}
/**
 * Runs as a test: of an action, or of a delivery.
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
   * What the action comes to, field by field.
   */
  request?: {
    [k: string]: unknown;
  };
  /**
   * Nothing is sent: the pointer to the value that is wrong, `/input/sha`.
   */
  refused?: string;
  /**
   * What the far end answered.
   */
  response?: {
    [k: string]: unknown;
  };
  delivery?: ExampleDelivery;
}
export interface ExampleDelivery {
  key: string;
  /**
   * When it arrives; for sections with a time window.
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
