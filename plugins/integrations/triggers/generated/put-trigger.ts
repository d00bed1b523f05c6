// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A trigger: svc polls a list that a connector describes, and each new item becomes an event.
 */
export interface PutTriggerBody {
  /**
   * The name of a connector.
   */
  connector: string;
  /**
   * One of its triggers.
   */
  trigger: string;
  /**
   * The name of a credential or a connected account.
   */
  credential?: string;
  /**
   * The fields of the connector.
   */
  with?: {};
  /**
   * The inputs of the trigger.
   */
  input?: {};
  /**
   * How often svc polls, at most 7d. Default: the connector's interval.
   */
  every?: string;
  /**
   * Whether existing items become events. Default `now`: they do not. Only the first poll uses it.
   */
  from?: 'now' | 'beginning';
  /**
   * Whether it is paused. By default it stays as it is.
   */
  paused?: boolean;
}
