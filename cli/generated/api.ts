// Generated from the OpenAPI document (npm run generate). Do not edit.
import type {EvaluatedExpression} from '../../plugins/documents/graphs/generated/evaluated-expression.ts';
import type {GraphEntry} from '../../plugins/documents/graphs/generated/graph-entry.ts';
import type {GraphNodeTypeView} from '../../plugins/documents/graphs/generated/graph-node-type.ts';
import type {GraphRequirements} from '../../plugins/documents/graphs/generated/graph-requirements.ts';
import type {GraphVersion} from '../../plugins/documents/graphs/generated/graph-version.ts';
import type {GraphView} from '../../plugins/documents/graphs/generated/graph-view.ts';
import type {PublishedGraph} from '../../plugins/documents/graphs/generated/published-graph.ts';
import type {Registered} from '../../plugins/documents/graphs/generated/registered.ts';
import type {SavedGraph} from '../../plugins/documents/graphs/generated/saved-graph.ts';
import type {AnswerLink} from '../../plugins/engine/approvals/generated/answer-link.ts';
import type {Question} from '../../plugins/engine/approvals/generated/question.ts';
import type {CheckedWorkflow} from '../../plugins/engine/runs/generated/checked-workflow.ts';
import type {DeclaredInputs} from '../../plugins/engine/runs/generated/declared-inputs.ts';
import type {JournalRecord} from '../../plugins/engine/runs/generated/journal-record.ts';
import type {RunSettings} from '../../plugins/engine/runs/generated/run-settings.ts';
import type {RunRecord} from '../../plugins/engine/runs/generated/run.ts';
import type {SentSignal} from '../../plugins/engine/runs/generated/sent-signal.ts';
import type {SubmittedRun} from '../../plugins/engine/runs/generated/submitted-run.ts';
import type {ChainLink} from '../../plugins/events/bus/generated/chain-link.ts';
import type {Chain} from '../../plugins/events/bus/generated/chain.ts';
import type {EmittedEvent} from '../../plugins/events/bus/generated/emitted-event.ts';
import type {EventType} from '../../plugins/events/bus/generated/event-type.ts';
import type {Event} from '../../plugins/events/bus/generated/event.ts';
import type {ShownEvent} from '../../plugins/events/bus/generated/shown-event.ts';
import type {DeadLetterView} from '../../plugins/events/handlers/generated/dead-letter.ts';
import type {DismissedDeadLetters} from '../../plugins/events/handlers/generated/dismissed-dead-letters.ts';
import type {EventReplayView} from '../../plugins/events/handlers/generated/event-replay.ts';
import type {HandlerView} from '../../plugins/events/handlers/generated/handler.ts';
import type {ReplayPreview} from '../../plugins/events/handlers/generated/replay-preview.ts';
import type {ReplayedEvent} from '../../plugins/events/handlers/generated/replayed-event.ts';
import type {RunRetry} from '../../plugins/events/handlers/generated/run-retry.ts';
import type {TestedHandlerView} from '../../plugins/events/handlers/generated/tested-handler.ts';
import type {BackfilledSchedule} from '../../plugins/events/schedules/generated/backfilled-schedule.ts';
import type {NextDue} from '../../plugins/events/schedules/generated/next-due.ts';
import type {ScheduleView} from '../../plugins/events/schedules/generated/schedule.ts';
import type {TriggeredSchedule} from '../../plugins/events/schedules/generated/triggered-schedule.ts';
import type {AgentRecord} from '../../plugins/execution/agents/generated/agent.ts';
import type {ArtifactUpload} from '../../plugins/execution/artifacts/generated/artifact-upload.ts';
import type {ArtifactView} from '../../plugins/execution/artifacts/generated/artifact.ts';
import type {CacheView} from '../../plugins/execution/artifacts/generated/cache.ts';
import type {SavedCache} from '../../plugins/execution/artifacts/generated/saved-cache.ts';
import type {StagedArtifact} from '../../plugins/execution/artifacts/generated/staged-artifact.ts';
import type {Ask} from '../../plugins/execution/asks/generated/ask.ts';
import type {MissingContents} from '../../plugins/execution/files/generated/missing-contents.ts';
import type {StoredContent} from '../../plugins/execution/files/generated/stored-content.ts';
import type {FunctionDetails} from '../../plugins/execution/functions/generated/function-details.ts';
import type {FunctionView} from '../../plugins/execution/functions/generated/function.ts';
import type {IssuedIdToken} from '../../plugins/execution/id-tokens/generated/issued-id-token.ts';
import type {IssuerMetadata} from '../../plugins/execution/id-tokens/generated/issuer-metadata.ts';
import type {KeySet} from '../../plugins/execution/id-tokens/generated/key-set.ts';
import type {LockView} from '../../plugins/execution/locks/generated/lock.ts';
import type {CellKey} from '../../plugins/execution/state/generated/cell-key.ts';
import type {CellRecord} from '../../plugins/execution/state/generated/cell.ts';
import type {AccountTest} from '../../plugins/integrations/accounts/generated/account-test.ts';
import type {AccountView} from '../../plugins/integrations/accounts/generated/account.ts';
import type {ConsentView} from '../../plugins/integrations/accounts/generated/consent.ts';
import type {AccountRemoved} from '../../plugins/integrations/accounts/generated/removed.ts';
import type {ConnectorProblems} from '../../plugins/integrations/connectors/generated/connector-problems.ts';
import type {CredentialTest} from '../../plugins/integrations/connectors/generated/credential-test.ts';
import type {RenderedAction} from '../../plugins/integrations/connectors/generated/rendered-action.ts';
import type {DeliveryView} from '../../plugins/integrations/deliveries/generated/delivery.ts';
import type {Redelivered} from '../../plugins/integrations/deliveries/generated/redelivered.ts';
import type {TakenDelivery} from '../../plugins/integrations/forges/generated/taken-delivery.ts';
import type {WebhookWarnings} from '../../plugins/integrations/forges/generated/webhook-warnings.ts';
import type {WebhookView} from '../../plugins/integrations/forges/generated/webhook.ts';
import type {Delivered} from '../../plugins/integrations/hooks/generated/delivered.ts';
import type {Hook} from '../../plugins/integrations/hooks/generated/hook.ts';
import type {ConnectorManifest} from '../../plugins/integrations/manifests/generated/connector-manifest.ts';
import type {ProviderChecks} from '../../plugins/integrations/providers/generated/provider-checks.ts';
import type {ProviderView} from '../../plugins/integrations/providers/generated/provider.ts';
import type {TriggerView} from '../../plugins/integrations/triggers/generated/trigger.ts';
import type {PluginList} from '../../plugins/operations/about/generated/plugin-list.ts';
import type {ServerSettings} from '../../plugins/operations/about/generated/server-settings.ts';
import type {ServerView} from '../../plugins/operations/about/generated/server-view.ts';
import type {AppliedObject} from '../../plugins/operations/apply/generated/applied-object.ts';
import type {ChangedApplied} from '../../plugins/operations/apply/generated/changed-applied.ts';
import type {ConsoleExtensions} from '../../plugins/operations/console/generated/extensions.ts';
import type {Insights} from '../../plugins/operations/insights/generated/insights.ts';
import type {McpAnswer} from '../../plugins/operations/mcp/generated/mcp-answer.ts';
import type {Reach} from '../../plugins/operations/reach/generated/reach.ts';
import type {NodeRecord} from '../../plugins/operations/run-views/generated/node.ts';
import type {RunDocument} from '../../plugins/operations/run-views/generated/run-document.ts';
import type {RunExplanation} from '../../plugins/operations/run-views/generated/run-explanation.ts';
import type {RunHistory} from '../../plugins/operations/run-views/generated/run-history.ts';
import type {RunInput} from '../../plugins/operations/run-views/generated/run-input.ts';
import type {SearchState} from '../../plugins/operations/run-views/generated/search-state.ts';
import type {Signal} from '../../plugins/operations/run-views/generated/signal.ts';
import type {StepRecord} from '../../plugins/operations/run-views/generated/step.ts';
import type {View} from '../../plugins/operations/saved-views/generated/view.ts';
import type {Summary} from '../../plugins/operations/summary/generated/summary.ts';
import type {AuditEntry} from '../../plugins/platform/audit/generated/entry.ts';
import type {CredentialUses} from '../../plugins/secrets/credentials/generated/credential-uses.ts';
import type {Credential} from '../../plugins/secrets/credentials/generated/credential.ts';
import type {SecretStoreTest} from '../../plugins/secrets/secret-stores/generated/secret-store-test.ts';
import type {SecretStore} from '../../plugins/secrets/secret-stores/generated/secret-store.ts';
import type {SecretEntry} from '../../plugins/secrets/secrets/generated/secret-entry.ts';
import type {SecretName} from '../../plugins/secrets/secrets/generated/secret-name.ts';
import type {Secret} from '../../plugins/secrets/secrets/generated/secret.ts';
import type {Variable} from '../../plugins/secrets/variables/generated/variable.ts';
import type {AcceptedInvitation} from '../../plugins/security/access/generated/accepted-invitation.ts';
import type {Invitation} from '../../plugins/security/access/generated/invitation.ts';
import type {MemberInvitation} from '../../plugins/security/access/generated/member-invitation.ts';
import type {OrgMember} from '../../plugins/security/access/generated/org-member.ts';
import type {Org} from '../../plugins/security/access/generated/org.ts';
import type {ProjectMember} from '../../plugins/security/access/generated/project-member.ts';
import type {Project} from '../../plugins/security/access/generated/project.ts';
import type {Token} from '../../plugins/security/access/generated/token.ts';
import type {Whoami} from '../../plugins/security/access/generated/whoami.ts';
import type {BrowserSession} from '../../plugins/security/sessions/generated/browser-session.ts';
import type {SessionView} from '../../plugins/security/sessions/generated/session.ts';
import type {SignInChecks} from '../../plugins/security/sessions/generated/sign-in-checks.ts';
import type {SignInLink} from '../../plugins/security/sessions/generated/sign-in-link.ts';
import type {SignInMethods} from '../../plugins/security/sessions/generated/sign-in-methods.ts';

export type {
  AcceptedInvitation,
  AccountRemoved,
  AccountTest,
  AccountView,
  AgentRecord,
  AnswerLink,
  AppliedObject,
  ArtifactUpload,
  ArtifactView,
  Ask,
  AuditEntry,
  BackfilledSchedule,
  BrowserSession,
  CacheView,
  CellKey,
  CellRecord,
  Chain,
  ChainLink,
  ChangedApplied,
  CheckedWorkflow,
  ConnectorManifest,
  ConnectorProblems,
  ConsentView,
  ConsoleExtensions,
  Credential,
  CredentialTest,
  CredentialUses,
  DeadLetterView,
  DeclaredInputs,
  Delivered,
  DeliveryView,
  DismissedDeadLetters,
  EmittedEvent,
  EvaluatedExpression,
  Event,
  EventReplayView,
  EventType,
  FunctionDetails,
  FunctionView,
  GraphEntry,
  GraphNodeTypeView,
  GraphRequirements,
  GraphVersion,
  GraphView,
  HandlerView,
  Hook,
  Insights,
  Invitation,
  IssuedIdToken,
  IssuerMetadata,
  JournalRecord,
  KeySet,
  LockView,
  McpAnswer,
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
  Question,
  Reach,
  Redelivered,
  Registered,
  RenderedAction,
  ReplayPreview,
  ReplayedEvent,
  RunDocument,
  RunExplanation,
  RunHistory,
  RunInput,
  RunRecord,
  RunRetry,
  RunSettings,
  SavedCache,
  SavedGraph,
  ScheduleView,
  SearchState,
  Secret,
  SecretEntry,
  SecretName,
  SecretStore,
  SecretStoreTest,
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
  TriggerView,
  TriggeredSchedule,
  Variable,
  View,
  WebhookView,
  WebhookWarnings,
  Whoami
};

/**
 * The location of a value in the delivery: a header, or a JSON pointer into the body.
 */
export type DeliveryPlace =
  | {
      header: string;
    }
  | {
      pointer: string;
    };
/**
 * The location of a delivery's type, and how svc converts it to an event type.
 */
export type EventTypePlace =
  | {
      header: string;
      /**
       * The sender's types and the corresponding event types.
       */
      map?: {
        [k: string]: string | undefined;
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
      pointer: string;
      /**
       * Several locations, tried in order.
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
       * The sender's types and the corresponding event types.
       */
      map?: {
        [k: string]: string | undefined;
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
/**
 * The user who caused the delivery: the first of these values that exists.
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
 * Any JSON. `{{ }}` in a string is replaced with its value. An object `{"$map": {on, cases, default}}` is replaced with one of its cases.
 */
export type Template = null | boolean | number | string | Template[] | {};
export type ReplayEvents200 = ReplayPreview | EventReplayView;
/**
 * With `wait`, the whole run; otherwise, its ID and status.
 */
export type SubmitAnswer = SubmittedRun | WaitedRun;

/**
 * Every answer of the API, by the name of its schema.
 */
export interface Answers {
  AcceptedInvitation: AcceptedInvitation;
  AccountRemoved: AccountRemoved;
  AccountTest: AccountTest;
  AccountView: AccountView;
  AnswerLink: AnswerLink;
  ArtifactUpload: ArtifactUpload;
  ArtifactView: ArtifactView;
  Ask: Ask;
  BackfilledSchedule: BackfilledSchedule;
  CacheView: CacheView;
  CellKey: CellKey;
  CellRecord: CellRecord;
  Chain: Chain;
  ChainLink: ChainLink;
  ChangedApplied: ChangedApplied;
  CheckedWorkflow: CheckedWorkflow;
  ConnectorManifest: ConnectorManifest;
  ConsentView: ConsentView;
  ConsoleExtensions: ConsoleExtensions;
  CreatedToken: CreatedToken;
  Credential: Credential;
  CredentialTest: CredentialTest;
  CredentialUses: CredentialUses;
  DeclaredInputs: DeclaredInputs;
  Delivered: Delivered;
  DeliveryPlace: DeliveryPlace;
  DismissedDeadLetters: DismissedDeadLetters;
  EmittedEvent: EmittedEvent;
  EvaluatedExpression: EvaluatedExpression;
  EventReplayView: EventReplayView;
  EventTypePlace: EventTypePlace;
  ExampleDelivery: ExampleDelivery;
  FailedWhen: FailedWhen;
  ForgeApi: ForgeApi;
  ForgeCall: ForgeCall;
  ForgeSection: ForgeSection;
  FunctionDetails: FunctionDetails;
  FunctionView: FunctionView;
  GraphEntry: GraphEntry;
  GraphRequirements: GraphRequirements;
  GraphView: GraphView;
  HandlerView: HandlerView;
  Hook: Hook;
  HookChallenge: HookChallenge;
  HookSection: HookSection;
  Insights: Insights;
  IssuedIdToken: IssuedIdToken;
  IssuerMetadata: IssuerMetadata;
  JournalRecord: JournalRecord;
  KeyForm: KeyForm;
  KeySet: KeySet;
  LeftMember: LeftMember;
  ListAccounts200: ListAccounts200;
  ListActivityArtifacts200: ListActivityArtifacts200;
  ListAgents200: ListAgents200;
  ListApplied200: ListApplied200;
  ListArtifacts200: ListArtifacts200;
  ListAsks200: ListAsks200;
  ListCaches200: ListCaches200;
  ListConnectors200: ListConnectors200;
  ListCredentials200: ListCredentials200;
  ListDeadLetters200: ListDeadLetters200;
  ListEventHookDeliveries200: ListEventHookDeliveries200;
  ListEventHooks200: ListEventHooks200;
  ListEventReplays200: ListEventReplays200;
  ListEventTypes200: ListEventTypes200;
  ListEvents200: ListEvents200;
  ListFunctions200: ListFunctions200;
  ListGraphVersions200: ListGraphVersions200;
  ListGraphs200: ListGraphs200;
  ListHandlers200: ListHandlers200;
  ListInvitations200: ListInvitations200;
  ListLocks200: ListLocks200;
  ListNodeTypes200: ListNodeTypes200;
  ListOrgAudit200: ListOrgAudit200;
  ListOrgInvitations200: ListOrgInvitations200;
  ListOrgMembers200: ListOrgMembers200;
  ListOrgVariables200: ListOrgVariables200;
  ListOrgs200: ListOrgs200;
  ListProjectAudit200: ListProjectAudit200;
  ListProjectInvitations200: ListProjectInvitations200;
  ListProjectMembers200: ListProjectMembers200;
  ListProjects200: ListProjects200;
  ListProviders200: ListProviders200;
  ListQuestions200: ListQuestions200;
  ListRuns200: ListRuns200;
  ListSchedules200: ListSchedules200;
  ListSecretStores200: ListSecretStores200;
  ListSecrets200: ListSecrets200;
  ListSessions200: ListSessions200;
  ListSignals200: ListSignals200;
  ListState200: ListState200;
  ListSteps200: ListSteps200;
  ListTokens200: ListTokens200;
  ListTriggers200: ListTriggers200;
  ListVariables200: ListVariables200;
  ListViews200: ListViews200;
  ListWebhookDeliveries200: ListWebhookDeliveries200;
  ListWebhooks200: ListWebhooks200;
  ManifestAction: ManifestAction;
  ManifestCredential: ManifestCredential;
  ManifestExample: ManifestExample;
  ManifestSign: ManifestSign;
  ManifestTest: ManifestTest;
  ManifestTrigger: ManifestTrigger;
  ManifestValue: ManifestValue;
  McpAnswer: McpAnswer;
  MemberInvitation: MemberInvitation;
  MissingContents: MissingContents;
  NextDue: NextDue;
  Org: Org;
  OrgMember: OrgMember;
  Pagination: Pagination;
  PluginList: PluginList;
  Project: Project;
  ProjectMember: ProjectMember;
  ProviderChecks: ProviderChecks;
  PublishedGraph: PublishedGraph;
  PushSection: PushSection;
  Reach: Reach;
  Redelivered: Redelivered;
  Registered: Registered;
  RenderedAction: RenderedAction;
  ReplayEvents200: ReplayEvents200;
  ReplayedEvent: ReplayedEvent;
  RequestTemplate: RequestTemplate;
  RevokedTokens: RevokedTokens;
  RunDocument: RunDocument;
  RunExplanation: RunExplanation;
  RunHistory: RunHistory;
  RunInput: RunInput;
  RunRecord: RunRecord;
  RunRetry: RunRetry;
  RunSettings: RunSettings;
  SavedCache: SavedCache;
  SavedGraph: SavedGraph;
  ScheduleView: ScheduleView;
  Secret: Secret;
  SecretName: SecretName;
  SecretStore: SecretStore;
  SecretStoreTest: SecretStoreTest;
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
  TriggerView: TriggerView;
  TriggeredSchedule: TriggeredSchedule;
  Variable: Variable;
  View: View;
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
   * The delivery's arrival time, for sections with a time window.
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
/**
 * Manages webhooks through the forge's API. Paths contain `{repo}`, `{page}` and `{id}`; strings in bodies contain `{delivery_url}` and `{secret}`.
 */
export interface ForgeApi {
  /**
   * The address of the API. By default, each webhook defines it.
   */
  base?: string;
  headers?: {
    [k: string]: string | undefined;
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
    [k: string]: unknown | undefined;
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
    [k: string]: string | undefined;
  };
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
    [k: string]: string | undefined;
  };
  api?: ForgeApi;
}
export interface PushSection {
  /**
   * The forge's name for a push.
   */
  event: string;
  ref: string;
  sha: string;
  /**
   * The list of commits.
   */
  commits: string;
  /**
   * The members of a commit that list its files.
   *
   * @minItems 1
   */
  paths: [string, ...string[]];
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
    [k: string]: Members | undefined;
  };
  /**
   * For each member, the events whose bodies can contain it. A member that is not listed can be in any body.
   */
  only: {
    [k: string]: Members | undefined;
  };
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
  header: string;
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
  timestamp_header?: string;
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
  signature: string;
  /**
   * The location of the timestamp, if it has no separate header.
   */
  timestamp?: string;
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
 * The sender sends the key itself in a header.
 */
export interface TokenSection {
  header: string;
  /**
   * The prefix of the key, such as `Bearer `.
   */
  prefix?: string;
}
export interface LeftMember {
  /**
   * The revoked tokens that the member had created for agents and other members.
   */
  revoked: Token[];
  /**
   * The number of other tokens that were revoked.
   */
  more: number;
}
export interface ListAccounts200 {
  accounts: AccountView[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListActivityArtifacts200 {
  artifacts: ArtifactView[];
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
export interface ListApplied200 {
  applied: AppliedObject[];
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
export interface ListAsks200 {
  asks: Ask[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListCaches200 {
  caches: CacheView[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListConnectors200 {
  connectors: ConnectorManifest[];
  problems: ConnectorProblems;
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
export interface ListDeadLetters200 {
  dead_letters: DeadLetterView[];
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
export interface ListEventReplays200 {
  event_replays: EventReplayView[];
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
export interface ListFunctions200 {
  functions: FunctionView[];
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
   * Handler runs of the project that are queued or running. At 16, no event starts another run; waiting runs still continue.
   */
  in_flight: number;
  /**
   * Deliveries that wait until fewer runs are in flight.
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
export interface ListOrgVariables200 {
  vars: Variable[];
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
export interface ListQuestions200 {
  questions: Question[];
}
export interface ListRuns200 {
  runs: RunRecord[];
  search?: SearchState;
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
export interface ListSecretStores200 {
  secret_stores: SecretStore[];
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
export interface ListTriggers200 {
  triggers: TriggerView[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListVariables200 {
  vars: Variable[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListViews200 {
  views: View[];
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
   * Accepts inputs that are not listed, such as an entire event. Default false.
   */
  more_inputs?: boolean;
  request: RequestTemplate;
  failed_when?: FailedWhen;
  paginate?: Pagination;
}
export interface ManifestValue {
  name: string;
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
    [k: string]: Template | undefined;
  };
  headers?: {
    [k: string]: Template | undefined;
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
  minItems?: 0;
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
 * A test of an action or a delivery.
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
   * The action's request, field by field.
   */
  request?: {
    [k: string]: unknown | undefined;
  };
  /**
   * If nothing is sent, the pointer to the invalid value, such as `/input/sha`.
   */
  refused?: string;
  /**
   * The other system's response.
   */
  response?: {
    [k: string]: unknown | undefined;
  };
  /**
   * The error's text, if `failed_when` of the action recognizes the response as a failure.
   */
  failed?: string;
  delivery?: ExampleDelivery;
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
  minItems?: 0;
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
export interface RevokedTokens {
  /**
   * The tokens that it created and that were revoked with it.
   */
  revoked: Token[];
  /**
   * The tokens that it created and that are still valid.
   */
  living: Token[];
  /**
   * The number of other tokens that were revoked or are still valid.
   */
  more: number;
  /**
   * The number of valid tokens that it created and that the caller can neither see nor revoke.
   */
  beyond_reach: number;
}
/**
 * The run of a submission with `wait`.
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
   * The wait of the most recently parked activity.
   */
  substate?: {
    kind: 'sleep' | 'signal' | 'event' | 'ask' | 'any' | 'awaiting_lease' | 'activity' | 'child';
    name: string;
    /**
     * The called run; only for a `child`.
     */
    run_id?: string;
    /**
     * The condition on the event, as CEL; only for an `event`. Lists leave it out.
     */
    when?: string;
    /**
     * The values that `when` uses, other than the event and the run.
     */
    values?: {
      [k: string]: unknown | undefined;
    };
    /**
     * What ends the wait, whichever comes first; only for an `any`. Lists leave it out.
     */
    any?: {
      kind: 'signal' | 'event' | 'ask';
      /**
       * The name of the signal or the ask, or the type of the event.
       */
      name: string;
      /**
       * The condition on the event, as CEL.
       */
      when?: string;
      /**
       * The values that `when` uses, other than the event and the run.
       */
      values?: {
        [k: string]: unknown | undefined;
      };
    }[];
    /**
     * When it parked.
     */
    since: string;
    /**
     * When the wait times out.
     */
    deadline?: string;
  };
  /**
   * Present while the run is paused. Nothing new starts in a paused run, and its status does not change.
   */
  paused?: {
    at: string;
    /**
     * Name of the person or token that paused it.
     */
    by?: string;
    reason?: string;
    /**
     * The run that called this one, if it was paused together with that run.
     */
    with?: string;
  };
  /**
   * The calls that agents are executing now, oldest first: up to 20, without calls shorter than about 100 ms. Lists of runs leave them out.
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
     * When it started, or when its current attempt started.
     */
    since: string;
    agent_id: string;
    /**
     * Name of the agent.
     */
    agent: string;
    /**
     * The attempt number; absent if the call cannot be retried.
     */
    attempt?: number;
    /**
     * The maximum number of attempts; only with `attempt`.
     */
    max_attempts?: number;
    activity_id: string;
    /**
     * Name of the activity.
     */
    activity: string;
  }[];
  /**
   * Up to 20 activities that agents have claimed. Activities whose agents have not responded for the longest time come first. Present only for a single run that is open.
   */
  claims?: {
    activity_id: string;
    /**
     * Name of the activity.
     */
    activity: string;
    agent_id: string;
    /**
     * When the agent last claimed or renewed it.
     */
    last_sign_at: string;
    /**
     * How long ago the agent last claimed or renewed it, by the database's clock. An agent renews three times per lease.
     */
    silent_ms: number;
    /**
     * When another agent can claim the work, unless the claim is renewed before then.
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
   * When an agent first claimed it.
   */
  started_at?: string;
  /**
   * When the run ended.
   */
  finished_at?: string;
  /**
   * Absent if it is 0.
   */
  priority?: number;
  /**
   * When it times out; only with a `timeout`.
   */
  deadline?: string;
  /**
   * The workflow's output; only after success.
   */
  output?: null | boolean | number | string | unknown[] | {};
  /**
   * Only in a list: true if the output is too large for the list (more than about 4,000 bytes). To see it, get the run itself.
   */
  output_omitted?: boolean;
  error?: {
    code: string;
    message: string;
  };
  /**
   * The reason for the cancellation.
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
   * Event types that cancel it; absent if it was submitted without any.
   */
  cancel_on?: string[];
  /**
   * Capabilities that an agent must have; absent if it was submitted without any.
   */
  requires?: string[];
  /**
   * Variables and the names of their credentials; absent if it was submitted without any.
   */
  credentials?: {
    [k: string]: string | undefined;
  };
  /**
   * Markdown notes, in order, up to 1 MiB in total. In a list, the first five, each up to 200 characters. `…` stands for omitted notes.
   */
  annotations: string[];
  /**
   * Address of the run's page; only if the server has a public URL.
   */
  run_url?: string;
  /**
   * The ID of its trace; only if the server exports traces, or exported them when the run was submitted.
   */
  trace_id?: string;
  /**
   * Address of its trace's page; only if the server exports traces and SVC_TRACE_URL is set.
   */
  trace_url?: string;
  /**
   * True if the key was used before; no second run was started.
   */
  duplicate?: boolean;
  /**
   * True if this request differs from the first one with this key in its document, input, `env`, credentials, tags or subject.
   */
  source_differs?: boolean;
}
