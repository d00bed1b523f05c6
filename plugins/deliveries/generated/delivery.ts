// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * What came to a hook or a webhook, without its body.
 */
export interface DeliveryView {
  /**
   * Its id, `dlv_…`.
   */
  delivery: string;
  at: string;
  outcome: 'recorded' | 'refused';
  /**
   * The event that it became; that holds the body.
   */
  event?: string;
  event_type?: string;
  /**
   * The sender's own id of it.
   */
  sent_id?: string;
  /**
   * Why it was refused.
   */
  code?: string;
  /**
   * What the sender was told.
   */
  reason?: string;
  /**
   * It showed the secret from before a rotation.
   */
  old_secret?: boolean;
  /**
   * The delivery that somebody had recorded again.
   */
  redelivery_of?: string;
  /**
   * The name of that person.
   */
  redelivered_by?: string;
}
