import type * as Api from '../../../../cli/generated/api.ts';

export type RunView = Api.RunRecord;
export type StepView = Api.StepRecord;
export type NodeView = Api.NodeRecord;
export type ChildView = NonNullable<StepView['child']>;
export type AgentView = Api.ListAgents200['agents'][number];
export type TypeView = Pick<Api.EventType, 'type' | 'last_seen'>;
/** An event that a wait of the run declined. */
export interface DeclinedEvent {
  event: string;
  type: string;
  at: string;
  reason?: string;
}

/** The pending retry of a handler's failed run. */
export type RetryView = NonNullable<Api.RunRetry['retry']>;

export type LockView = Api.ListLocks200['locks'][number];
export type SignalView = Api.Signal;
/** What the run asks people. */
export type QuestionView = Pick<Api.Question, 'name' | 'message' | 'approvers'> & Partial<Pick<Api.Question, 'form'>>;
