// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A webhook as it stands.
 */
export interface WebhookView {
  name: string;
  forge: string;
  repo: string;
  api_base?: string;
  /**
   * What the forge is given.
   */
  delivery_url: string;
  /**
   * Signs the deliveries. Only in the answer to the request that made it.
   */
  secret?: string;
  credential?: string;
  /**
   * Who made it at the forge: a person, or the service; pending while that is under way.
   */
  registration: 'manual' | 'pending' | 'registered';
  /**
   * As it was given, but in a list without its document, input and variables. Absent: pushes only start handlers.
   */
  workflow?: {
    [k: string]: unknown;
  };
  /**
   * What could not be done beside; absent when there is nothing to say.
   */
  warnings?: string[];
  /**
   * Until when the secret from before the last rotation counts too. Absent when it does not.
   */
  old_secret_until?: string;
  /**
   * When a delivery was signed with the old one last, to about a minute. Absent when none was.
   */
  last_old_secret_use?: string;
  created_at: string;
  set_at: string;
}
