// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A webhook in its current state.
 */
export interface WebhookView {
  name: string;
  forge: string;
  repo: string;
  api_base?: string;
  /**
   * The address for the forge.
   */
  delivery_url: string;
  /**
   * The secret that signs deliveries. Only in the response to the request that created it.
   */
  secret?: string;
  credential?: string;
  /**
   * Who created the webhook at the forge: a person or the service. `pending` during the registration.
   */
  registration: 'manual' | 'pending' | 'registered';
  /**
   * The workflow, unchanged, except that lists leave out its document, input and variables. If absent, pushes only start handlers.
   */
  workflow?: {
    [k: string]: unknown;
  };
  /**
   * Problems that did not stop the request; absent if there are none.
   */
  warnings?: string[];
  /**
   * When the old secret expires. Absent if there is none.
   */
  old_secret_until?: string;
  /**
   * When the old secret last signed a delivery, accurate to about a minute. Absent if it has not signed any.
   */
  last_old_secret_use?: string;
  created_at: string;
  set_at: string;
}
