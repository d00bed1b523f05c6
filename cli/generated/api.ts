// Generated from the OpenAPI document (npm run generate). Do not edit.
import type {OrgMember} from '../../plugins/access/generated/org-member.ts';
import type {Org} from '../../plugins/access/generated/org.ts';
import type {ProjectMember} from '../../plugins/access/generated/project-member.ts';
import type {Project} from '../../plugins/access/generated/project.ts';
import type {Token} from '../../plugins/access/generated/token.ts';
import type {Whoami} from '../../plugins/access/generated/whoami.ts';
import type {AgentRecord} from '../../plugins/agents/generated/agent.ts';
import type {AuditEntry} from '../../plugins/audit/generated/entry.ts';
import type {EmittedEvent} from '../../plugins/bus/generated/emitted-event.ts';
import type {EventType} from '../../plugins/bus/generated/event-type.ts';
import type {Event} from '../../plugins/bus/generated/event.ts';
import type {ShownEvent} from '../../plugins/bus/generated/shown-event.ts';
import type {CredentialUses} from '../../plugins/credentials/generated/credential-uses.ts';
import type {Credential} from '../../plugins/credentials/generated/credential.ts';
import type {TakenDelivery} from '../../plugins/forges/generated/taken-delivery.ts';
import type {WebhookWarnings} from '../../plugins/forges/generated/webhook-warnings.ts';
import type {WebhookView} from '../../plugins/forges/generated/webhook.ts';
import type {HandlerView} from '../../plugins/handlers/generated/handler.ts';
import type {TestedHandlerView} from '../../plugins/handlers/generated/tested-handler.ts';
import type {Delivered} from '../../plugins/hooks/generated/delivered.ts';
import type {Hook} from '../../plugins/hooks/generated/hook.ts';
import type {LockView} from '../../plugins/locks/generated/lock.ts';
import type {CellKey} from '../../plugins/runs/generated/cell-key.ts';
import type {CellRecord} from '../../plugins/runs/generated/cell.ts';
import type {CheckedWorkflow} from '../../plugins/runs/generated/checked-workflow.ts';
import type {RunRecord} from '../../plugins/runs/generated/run.ts';
import type {StepRecord} from '../../plugins/runs/generated/step.ts';
import type {SubmittedRun} from '../../plugins/runs/generated/submitted-run.ts';
import type {NextDue} from '../../plugins/schedules/generated/next-due.ts';
import type {ScheduleView} from '../../plugins/schedules/generated/schedule.ts';
import type {SecretEntry} from '../../plugins/secrets/generated/secret-entry.ts';
import type {SecretName} from '../../plugins/secrets/generated/secret-name.ts';
import type {Secret} from '../../plugins/secrets/generated/secret.ts';

export type {
  AgentRecord,
  AuditEntry,
  CellKey,
  CellRecord,
  CheckedWorkflow,
  Credential,
  CredentialUses,
  Delivered,
  EmittedEvent,
  Event,
  EventType,
  HandlerView,
  Hook,
  LockView,
  NextDue,
  Org,
  OrgMember,
  Project,
  ProjectMember,
  RunRecord,
  ScheduleView,
  Secret,
  SecretEntry,
  SecretName,
  ShownEvent,
  StepRecord,
  SubmittedRun,
  TakenDelivery,
  TestedHandlerView,
  Token,
  WebhookView,
  WebhookWarnings,
  Whoami
};

/**
 * Every answer of the API, by the name of its schema.
 */
export interface Answers {
  CellKey: CellKey;
  CellRecord: CellRecord;
  CheckedWorkflow: CheckedWorkflow;
  CreatedToken: CreatedToken;
  Credential: Credential;
  CredentialUses: CredentialUses;
  Delivered: Delivered;
  EmittedEvent: EmittedEvent;
  HandlerView: HandlerView;
  Hook: Hook;
  ListAgents200: ListAgents200;
  ListCredentials200: ListCredentials200;
  ListEventHooks200: ListEventHooks200;
  ListEventTypes200: ListEventTypes200;
  ListEvents200: ListEvents200;
  ListHandlers200: ListHandlers200;
  ListLocks200: ListLocks200;
  ListOrgAudit200: ListOrgAudit200;
  ListOrgMembers200: ListOrgMembers200;
  ListOrgs200: ListOrgs200;
  ListProjectAudit200: ListProjectAudit200;
  ListProjectMembers200: ListProjectMembers200;
  ListProjects200: ListProjects200;
  ListRuns200: ListRuns200;
  ListSchedules200: ListSchedules200;
  ListSecrets200: ListSecrets200;
  ListState200: ListState200;
  ListSteps200: ListSteps200;
  ListTokens200: ListTokens200;
  ListWebhooks200: ListWebhooks200;
  NextDue: NextDue;
  Org: Org;
  OrgMember: OrgMember;
  Project: Project;
  ProjectMember: ProjectMember;
  RunRecord: RunRecord;
  ScheduleView: ScheduleView;
  Secret: Secret;
  SecretName: SecretName;
  ShownEvent: ShownEvent;
  SubmittedRun: SubmittedRun;
  TakenDelivery: TakenDelivery;
  TestedHandlerView: TestedHandlerView;
  Token: Token;
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
export interface ListAgents200 {
  agents: AgentRecord[];
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
export interface ListHandlers200 {
  handlers: HandlerView[];
  /**
   * Handler runs of the project that have not ended; at most 16.
   */
  in_flight: number;
  /**
   * Deliveries that wait for a place among them.
   */
  queued: number;
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
export interface ListOrgAudit200 {
  entries: AuditEntry[];
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
export interface ListState200 {
  cells: CellRecord[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
export interface ListSteps200 {
  steps: StepRecord[];
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
export interface ListWebhooks200 {
  webhooks: WebhookView[];
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
