// Generated from the OpenAPI document (npm run generate). Do not edit.
import type {PluginList} from '../../plugins/about/generated/plugin-list.ts';
import type {ServerSettings} from '../../plugins/about/generated/server-settings.ts';
import type {ServerView} from '../../plugins/about/generated/server-view.ts';
import type {AcceptedInvitation} from '../../plugins/access/generated/accepted-invitation.ts';
import type {Invitation} from '../../plugins/access/generated/invitation.ts';
import type {MemberInvitation} from '../../plugins/access/generated/member-invitation.ts';
import type {OrgMember} from '../../plugins/access/generated/org-member.ts';
import type {Org} from '../../plugins/access/generated/org.ts';
import type {ProjectMember} from '../../plugins/access/generated/project-member.ts';
import type {Project} from '../../plugins/access/generated/project.ts';
import type {Token} from '../../plugins/access/generated/token.ts';
import type {Whoami} from '../../plugins/access/generated/whoami.ts';
import type {AccountView} from '../../plugins/accounts/generated/account.ts';
import type {ConsentView} from '../../plugins/accounts/generated/consent.ts';
import type {AccountRemoved} from '../../plugins/accounts/generated/removed.ts';
import type {AgentRecord} from '../../plugins/agents/generated/agent.ts';
import type {ArtifactUpload} from '../../plugins/artifacts/generated/artifact-upload.ts';
import type {ArtifactView} from '../../plugins/artifacts/generated/artifact.ts';
import type {StagedArtifact} from '../../plugins/artifacts/generated/staged-artifact.ts';
import type {AuditEntry} from '../../plugins/audit/generated/entry.ts';
import type {ChainLink} from '../../plugins/bus/generated/chain-link.ts';
import type {Chain} from '../../plugins/bus/generated/chain.ts';
import type {EmittedEvent} from '../../plugins/bus/generated/emitted-event.ts';
import type {EventType} from '../../plugins/bus/generated/event-type.ts';
import type {Event} from '../../plugins/bus/generated/event.ts';
import type {ShownEvent} from '../../plugins/bus/generated/shown-event.ts';
import type {RenderedAction} from '../../plugins/connectors/generated/rendered-action.ts';
import type {ConsoleExtensions} from '../../plugins/console/generated/extensions.ts';
import type {CredentialUses} from '../../plugins/credentials/generated/credential-uses.ts';
import type {Credential} from '../../plugins/credentials/generated/credential.ts';
import type {DeliveryView} from '../../plugins/deliveries/generated/delivery.ts';
import type {Redelivered} from '../../plugins/deliveries/generated/redelivered.ts';
import type {MissingContents} from '../../plugins/files/generated/missing-contents.ts';
import type {StoredContent} from '../../plugins/files/generated/stored-content.ts';
import type {TakenDelivery} from '../../plugins/forges/generated/taken-delivery.ts';
import type {WebhookWarnings} from '../../plugins/forges/generated/webhook-warnings.ts';
import type {WebhookView} from '../../plugins/forges/generated/webhook.ts';
import type {EvaluatedExpression} from '../../plugins/graphs/generated/evaluated-expression.ts';
import type {GraphEntry} from '../../plugins/graphs/generated/graph-entry.ts';
import type {GraphNodeTypeView} from '../../plugins/graphs/generated/graph-node-type.ts';
import type {GraphRequirements} from '../../plugins/graphs/generated/graph-requirements.ts';
import type {GraphVersion} from '../../plugins/graphs/generated/graph-version.ts';
import type {GraphView} from '../../plugins/graphs/generated/graph-view.ts';
import type {PublishedGraph} from '../../plugins/graphs/generated/published-graph.ts';
import type {Registered} from '../../plugins/graphs/generated/registered.ts';
import type {SavedGraph} from '../../plugins/graphs/generated/saved-graph.ts';
import type {HandlerView} from '../../plugins/handlers/generated/handler.ts';
import type {ReplayedEvent} from '../../plugins/handlers/generated/replayed-event.ts';
import type {TestedHandlerView} from '../../plugins/handlers/generated/tested-handler.ts';
import type {Delivered} from '../../plugins/hooks/generated/delivered.ts';
import type {Hook} from '../../plugins/hooks/generated/hook.ts';
import type {LockView} from '../../plugins/locks/generated/lock.ts';
import type {ConnectorManifest} from '../../plugins/manifests/generated/connector-manifest.ts';
import type {ProviderChecks} from '../../plugins/providers/generated/provider-checks.ts';
import type {ProviderView} from '../../plugins/providers/generated/provider.ts';
import type {CellKey} from '../../plugins/runs/generated/cell-key.ts';
import type {CellRecord} from '../../plugins/runs/generated/cell.ts';
import type {CheckedWorkflow} from '../../plugins/runs/generated/checked-workflow.ts';
import type {JournalRecord} from '../../plugins/runs/generated/journal-record.ts';
import type {NodeRecord} from '../../plugins/runs/generated/node.ts';
import type {RunDocument} from '../../plugins/runs/generated/run-document.ts';
import type {RunHistory} from '../../plugins/runs/generated/run-history.ts';
import type {RunInput} from '../../plugins/runs/generated/run-input.ts';
import type {RunSettings} from '../../plugins/runs/generated/run-settings.ts';
import type {RunRecord} from '../../plugins/runs/generated/run.ts';
import type {SentSignal} from '../../plugins/runs/generated/sent-signal.ts';
import type {Signal} from '../../plugins/runs/generated/signal.ts';
import type {StepRecord} from '../../plugins/runs/generated/step.ts';
import type {SubmittedRun} from '../../plugins/runs/generated/submitted-run.ts';
import type {NextDue} from '../../plugins/schedules/generated/next-due.ts';
import type {ScheduleView} from '../../plugins/schedules/generated/schedule.ts';
import type {TriggeredSchedule} from '../../plugins/schedules/generated/triggered-schedule.ts';
import type {SecretEntry} from '../../plugins/secrets/generated/secret-entry.ts';
import type {SecretName} from '../../plugins/secrets/generated/secret-name.ts';
import type {Secret} from '../../plugins/secrets/generated/secret.ts';
import type {BrowserSession} from '../../plugins/sessions/generated/browser-session.ts';
import type {SessionView} from '../../plugins/sessions/generated/session.ts';
import type {SignInChecks} from '../../plugins/sessions/generated/sign-in-checks.ts';
import type {SignInLink} from '../../plugins/sessions/generated/sign-in-link.ts';
import type {SignInMethods} from '../../plugins/sessions/generated/sign-in-methods.ts';
import type {Summary} from '../../plugins/summary/generated/summary.ts';

export type {
  AcceptedInvitation,
  AccountRemoved,
  AccountView,
  AgentRecord,
  ArtifactUpload,
  ArtifactView,
  AuditEntry,
  BrowserSession,
  CellKey,
  CellRecord,
  Chain,
  ChainLink,
  CheckedWorkflow,
  ConnectorManifest,
  ConsentView,
  ConsoleExtensions,
  Credential,
  CredentialUses,
  Delivered,
  DeliveryView,
  EmittedEvent,
  EvaluatedExpression,
  Event,
  EventType,
  GraphEntry,
  GraphNodeTypeView,
  GraphRequirements,
  GraphVersion,
  GraphView,
  HandlerView,
  Hook,
  Invitation,
  JournalRecord,
  LockView,
  MemberInvitation,
  MissingContents,
  NextDue,
  NodeRecord,
  Org,
  OrgMember,
  PluginList,
  Project,
  ProjectMember,
  ProviderChecks,
  ProviderView,
  PublishedGraph,
  Redelivered,
  Registered,
  RenderedAction,
  ReplayedEvent,
  RunDocument,
  RunHistory,
  RunInput,
  RunRecord,
  RunSettings,
  SavedGraph,
  ScheduleView,
  Secret,
  SecretEntry,
  SecretName,
  SentSignal,
  ServerSettings,
  ServerView,
  SessionView,
  ShownEvent,
  SignInChecks,
  SignInLink,
  SignInMethods,
  Signal,
  StagedArtifact,
  StepRecord,
  StoredContent,
  SubmittedRun,
  Summary,
  TakenDelivery,
  TestedHandlerView,
  Token,
  TriggeredSchedule,
  WebhookView,
  WebhookWarnings,
  Whoami
};

/**
 * Where something of a delivery is found: in a header, or in the JSON body by a JSON pointer.
 */
export type DeliveryPlace =
  | {
      header: string;
    }
  | {
      pointer: string;
    };
/**
 * Where a delivery has its type, and how that becomes a type of events.
 */
export type EventTypePlace =
  | {
      header: string;
      /**
       * Types of the sender and what they are called here.
       */
      map?: {
        [k: string]: string | undefined;
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
      pointer: string;
      /**
       * Further places, tried in their order.
       *
       * @maxItems 8
       */
      or?:
        | []
        | [string]
        | [string, string]
        | [string, string, string]
        | [string, string, string, string]
        | [string, string, string, string, string]
        | [string, string, string, string, string, string]
        | [string, string, string, string, string, string, string]
        | [string, string, string, string, string, string, string, string];
      /**
       * Types of the sender and what they are called here.
       */
      map?: {
        [k: string]: string | undefined;
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
/**
 * Who did it; the first that is there.
 *
 * @minItems 1
 */
export type Pointers = [string, ...string[]];
/**
 * @minItems 1
 */
export type Pointers1 = [string, ...string[]];
/**
 * @maxItems 100
 */
export type Members = string[];
/**
 * Any JSON. A `{{ }}` hole in a string is replaced; an object `{"$map": {on, cases, default}}` chooses.
 */
export type Template = null | boolean | number | string | Template[] | {};
/**
 * With `wait` the whole run, otherwise its id and status.
 */
export type SubmitAnswer = SubmittedRun | WaitedRun;

/**
 * Every answer of the API, by the name of its schema.
 */
export interface Answers {
  AcceptedInvitation: AcceptedInvitation;
  AccountRemoved: AccountRemoved;
  AccountView: AccountView;
  ArtifactUpload: ArtifactUpload;
  ArtifactView: ArtifactView;
  CellKey: CellKey;
  CellRecord: CellRecord;
  Chain: Chain;
  ChainLink: ChainLink;
  CheckedWorkflow: CheckedWorkflow;
  ConnectorManifest: ConnectorManifest;
  ConsentView: ConsentView;
  ConsoleExtensions: ConsoleExtensions;
  CreatedToken: CreatedToken;
  Credential: Credential;
  CredentialUses: CredentialUses;
  Delivered: Delivered;
  DeliveryPlace: DeliveryPlace;
  EmittedEvent: EmittedEvent;
  EvaluatedExpression: EvaluatedExpression;
  EventTypePlace: EventTypePlace;
  ExampleDelivery: ExampleDelivery;
  ForgeApi: ForgeApi;
  ForgeCall: ForgeCall;
  ForgeSection: ForgeSection;
  GraphEntry: GraphEntry;
  GraphRequirements: GraphRequirements;
  GraphView: GraphView;
  HandlerView: HandlerView;
  Hook: Hook;
  HookChallenge: HookChallenge;
  HookSection: HookSection;
  JournalRecord: JournalRecord;
  KeyForm: KeyForm;
  ListAccounts200: ListAccounts200;
  ListAgents200: ListAgents200;
  ListArtifacts200: ListArtifacts200;
  ListConnectors200: ListConnectors200;
  ListCredentials200: ListCredentials200;
  ListEventHookDeliveries200: ListEventHookDeliveries200;
  ListEventHooks200: ListEventHooks200;
  ListEventTypes200: ListEventTypes200;
  ListEvents200: ListEvents200;
  ListGraphVersions200: ListGraphVersions200;
  ListGraphs200: ListGraphs200;
  ListHandlers200: ListHandlers200;
  ListInvitations200: ListInvitations200;
  ListLocks200: ListLocks200;
  ListNodeTypes200: ListNodeTypes200;
  ListOrgAudit200: ListOrgAudit200;
  ListOrgInvitations200: ListOrgInvitations200;
  ListOrgMembers200: ListOrgMembers200;
  ListOrgs200: ListOrgs200;
  ListProjectAudit200: ListProjectAudit200;
  ListProjectInvitations200: ListProjectInvitations200;
  ListProjectMembers200: ListProjectMembers200;
  ListProjects200: ListProjects200;
  ListProviders200: ListProviders200;
  ListRuns200: ListRuns200;
  ListSchedules200: ListSchedules200;
  ListSecrets200: ListSecrets200;
  ListSessions200: ListSessions200;
  ListSignals200: ListSignals200;
  ListState200: ListState200;
  ListSteps200: ListSteps200;
  ListTokens200: ListTokens200;
  ListWebhookDeliveries200: ListWebhookDeliveries200;
  ListWebhooks200: ListWebhooks200;
  ManifestAction: ManifestAction;
  ManifestCredential: ManifestCredential;
  ManifestExample: ManifestExample;
  ManifestSign: ManifestSign;
  ManifestValue: ManifestValue;
  MemberInvitation: MemberInvitation;
  MissingContents: MissingContents;
  NextDue: NextDue;
  Org: Org;
  OrgMember: OrgMember;
  PluginList: PluginList;
  Project: Project;
  ProjectMember: ProjectMember;
  ProviderChecks: ProviderChecks;
  PublishedGraph: PublishedGraph;
  PushSection: PushSection;
  Redelivered: Redelivered;
  Registered: Registered;
  RenderedAction: RenderedAction;
  ReplayedEvent: ReplayedEvent;
  RequestTemplate: RequestTemplate;
  RevokedTokens: RevokedTokens;
  RunDocument: RunDocument;
  RunHistory: RunHistory;
  RunInput: RunInput;
  RunRecord: RunRecord;
  RunSettings: RunSettings;
  SavedGraph: SavedGraph;
  ScheduleView: ScheduleView;
  Secret: Secret;
  SecretName: SecretName;
  SentSignal: SentSignal;
  ServerSettings: ServerSettings;
  ServerView: ServerView;
  SessionView: SessionView;
  ShownEvent: ShownEvent;
  SignInChecks: SignInChecks;
  SignInLink: SignInLink;
  SignInMethods: SignInMethods;
  SignatureSection: SignatureSection;
  StagedArtifact: StagedArtifact;
  StoredContent: StoredContent;
  SubmitAnswer: SubmitAnswer;
  SubmittedRun: SubmittedRun;
  Summary: Summary;
  TakenDelivery: TakenDelivery;
  TestedHandlerView: TestedHandlerView;
  Token: Token;
  TokenSection: TokenSection;
  TriggeredSchedule: TriggeredSchedule;
  WaitedRun: WaitedRun;
  WebhookView: WebhookView;
  WebhookWarnings: WebhookWarnings;
  Whoami: Whoami;
}
export interface CreatedToken {
  id: string;
  name: string;
  kind: 'user' | 'agent';
  user?: string;
  org?: string;
  project?: string;
  role?: 'viewer' | 'member' | 'admin';
  created_at: string;
  expires_at?: string;
  last_used_at?: string;
  token: string;
}
export interface ExampleDelivery {
  key: string;
  /**
   * When it arrives; for sections with a time window.
   */
  at?: string;
  headers: {
    [k: string]: string | undefined;
  };
  /**
   * The bytes, as text.
   */
  body: string;
  accepted: boolean;
  event_type?: string;
  delivery_id?: string;
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
    [k: string]: string | undefined;
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
    [k: string]: unknown | undefined;
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
    [k: string]: string | undefined;
  };
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
    [k: string]: string | undefined;
  };
  api?: ForgeApi;
}
export interface PushSection {
  /**
   * What the forge calls a push.
   */
  event: string;
  ref: string;
  sha: string;
  /**
   * The list of commits.
   */
  commits: string;
  /**
   * Members of a commit that list files.
   *
   * @minItems 1
   */
  paths: [string, ...string[]];
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
    [k: string]: Members | undefined;
  };
  /**
   * By member: the events whose bodies may have it. A member that is not named may be in every body.
   */
  only: {
    [k: string]: Members | undefined;
  };
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
  header: string;
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
  timestamp_header?: string;
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
  signature: string;
  /**
   * Where the timestamp is, if it has no header of its own.
   */
  timestamp?: string;
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
 * The sender shows the key itself in a header.
 */
export interface TokenSection {
  header: string;
  /**
   * What stands before it: `Bearer `.
   */
  prefix?: string;
}
export interface ListAccounts200 {
  accounts: AccountView[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListAgents200 {
  agents: AgentRecord[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListArtifacts200 {
  artifacts: ArtifactView[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListConnectors200 {
  connectors: ConnectorManifest[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListCredentials200 {
  credentials: Credential[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListEventHookDeliveries200 {
  deliveries: DeliveryView[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListEventHooks200 {
  event_hooks: Hook[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListEventTypes200 {
  types: EventType[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListEvents200 {
  events: Event[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListGraphVersions200 {
  versions: GraphVersion[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListGraphs200 {
  graphs: GraphEntry[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListHandlers200 {
  handlers: HandlerView[];
  /**
   * Handler runs of the project that are queued or running. At 16 no event starts a further one; those that waited go on all the same.
   */
  in_flight: number;
  /**
   * Deliveries that wait until there are fewer.
   */
  queued: number;
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListInvitations200 {
  invitations: Invitation[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListLocks200 {
  locks: LockView[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListNodeTypes200 {
  node_types: GraphNodeTypeView[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListOrgAudit200 {
  entries: AuditEntry[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListOrgInvitations200 {
  invitations: MemberInvitation[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListOrgMembers200 {
  members: OrgMember[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListOrgs200 {
  orgs: Org[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListProjectAudit200 {
  entries: AuditEntry[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListProjectInvitations200 {
  invitations: MemberInvitation[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListProjectMembers200 {
  members: ProjectMember[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListProjects200 {
  projects: Project[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListProviders200 {
  providers: ProviderView[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListRuns200 {
  runs: RunRecord[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListSchedules200 {
  schedules: ScheduleView[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListSecrets200 {
  secrets: SecretEntry[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListSessions200 {
  sessions: BrowserSession[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListSignals200 {
  signals: Signal[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListState200 {
  cells: CellRecord[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListSteps200 {
  steps: (StepRecord | NodeRecord)[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListTokens200 {
  tokens: Token[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListWebhookDeliveries200 {
  deliveries: DeliveryView[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListWebhooks200 {
  webhooks: WebhookView[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
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
export interface ManifestValue {
  name: string;
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
    [k: string]: Template | undefined;
  };
  headers?: {
    [k: string]: Template | undefined;
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
/**
 * Runs as a test: of an action, or of a delivery.
 */
export interface ManifestExample {
  title?: string;
  action?: string;
  with?: {
    [k: string]: unknown | undefined;
  };
  input?: {
    [k: string]: unknown | undefined;
  };
  node?: {
    [k: string]: unknown | undefined;
  };
  /**
   * What the action comes to, field by field.
   */
  request?: {
    [k: string]: unknown | undefined;
  };
  /**
   * Nothing is sent: the pointer to the value that is wrong, `/input/sha`.
   */
  refused?: string;
  /**
   * What the far end answered.
   */
  response?: {
    [k: string]: unknown | undefined;
  };
  delivery?: ExampleDelivery;
}
export interface RevokedTokens {
  /**
   * What it made and was revoked with it.
   */
  revoked: Token[];
  /**
   * What it made and is still valid.
   */
  living: Token[];
  /**
   * How many more of both there are.
   */
  more: number;
  /**
   * How many valid tokens it made that the caller may neither see nor revoke.
   */
  beyond_reach: number;
}
/**
 * The run of a submit with `wait`.
 */
export interface WaitedRun {
  /**
   * Opaque, ordered by time.
   */
  run_id: string;
  /**
   * `script`, `pipeline`, `graph` or `node`.
   */
  kind: string;
  /**
   * Versioned type of the workflow, e.g. `svc/script/v1`.
   */
  workflow_type?: string;
  /**
   * Name of the file, or the kind.
   */
  workflow: string;
  /**
   * `succeeded`, `failed` and `cancelled` are final.
   */
  status: 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled';
  /**
   * What the most recently parked activity waits for.
   */
  substate?: {
    kind: 'sleep' | 'signal' | 'event' | 'awaiting_lease' | 'activity' | 'child';
    name: string;
    /**
     * The run that was called; only of a `child`.
     */
    run_id?: string;
    /**
     * When it parked.
     */
    since: string;
    /**
     * When the wait ends by itself.
     */
    deadline?: string;
  };
  /**
   * What agents carry out now, the oldest first, at most 20; only of one run that is read by itself, and not what takes less than some 100 ms.
   */
  running?: {
    /**
     * The verb.
     */
    kind: string;
    name: string;
    /**
     * `name#ordinal`.
     */
    site: string;
    label?: string;
    /**
     * When it began, or its present attempt did.
     */
    since: string;
    agent_id: string;
    /**
     * Name of the agent.
     */
    agent: string;
    /**
     * Which attempt it is; only of what is tried again.
     */
    attempt?: number;
    /**
     * So many attempts may be made in all; only with `attempt`.
     */
    max_attempts?: number;
    activity_id: string;
    /**
     * Name of the activity.
     */
    activity: string;
  }[];
  /**
   * Activities that agents hold, those first of whose agents least is heard, at most 20; only of one open run that is read by itself.
   */
  claims?: {
    activity_id: string;
    /**
     * Name of the activity.
     */
    activity: string;
    agent_id: string;
    /**
     * When the agent took or renewed it last.
     */
    last_sign_at: string;
    /**
     * So long ago, by the clock of the database. An agent renews three times a lease.
     */
    silent_ms: number;
    /**
     * When another agent may take the work, unless it is renewed before.
     */
    ends_at: string;
  }[];
  subject?: string;
  tags: string[];
  trigger: {
    /**
     * `manual`, `push`, `schedule.tick`, `spawn` or an event's type.
     */
    type: string;
    [k: string]: unknown | undefined;
  };
  trusted: boolean;
  generation: number;
  parent?: string;
  rerun_of?: string;
  /**
   * When it was accepted.
   */
  created_at: string;
  /**
   * When an agent first took it.
   */
  started_at?: string;
  /**
   * When it became final.
   */
  finished_at?: string;
  /**
   * When it fails by itself; only with a `timeout`.
   */
  deadline?: string;
  /**
   * What the workflow gave; only after success.
   */
  output?: null | boolean | number | string | unknown[] | {};
  /**
   * Only in a list: true when the output is too large for it, with more than some 4,000 bytes. Read the run to see it.
   */
  output_omitted?: boolean;
  error?: {
    code: string;
    message: string;
  };
  /**
   * Why it was cancelled.
   */
  reason?: string;
  /**
   * The event that cancelled it.
   */
  cancelled_by?: {
    event: string;
    type: string;
  };
  /**
   * Types of events that cancel it; only when it was submitted with any.
   */
  cancel_on?: string[];
  /**
   * Capabilities that an agent must have; only when it was submitted with any.
   */
  requires?: string[];
  /**
   * Variables and the names of the credentials they hold; only when it was submitted with any.
   */
  credentials?: {
    [k: string]: string | undefined;
  };
  /**
   * Markdown notes, in order, up to 1 MiB of them. In a list, the first five, each up to 200 characters. `…` stands for what is left out.
   */
  annotations: string[];
  /**
   * Page of the run; only when the server has a public URL.
   */
  run_url?: string;
  /**
   * Its trace; only when the server exports traces, or did when the run was submitted.
   */
  trace_id?: string;
  /**
   * Page of its trace; only when the server exports traces and SVC_TRACE_URL is set.
   */
  trace_url?: string;
  /**
   * True when the key was used before; no second run was made.
   */
  duplicate?: boolean;
  /**
   * True when the repeat carries another document, input, `env`, credentials, tags or subject than the first.
   */
  source_differs?: boolean;
}
