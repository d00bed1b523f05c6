// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A delivery to a hook or a webhook, without its body.
 */
export interface DeliveryView {
  /**
   * ID of the delivery, `dlv_…`.
   */
  delivery: string;
  at: string;
  outcome: 'recorded' | 'refused';
  /**
   * Its event, which contains the body.
   */
  event?: string;
  event_type?: string;
  /**
   * The sender's ID of the delivery.
   */
  sent_id?: string;
  /**
   * Why it was rejected.
   */
  code?: string;
  /**
   * The response to the sender.
   */
  reason?: string;
  /**
   * True: the delivery used the secret from before a rotation.
   */
  old_secret?: boolean;
  /**
   * The delivery that was redelivered.
   */
  redelivery_of?: string;
  /**
   * The name of the user who requested the redelivery.
   */
  redelivered_by?: string;
}
