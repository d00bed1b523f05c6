// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

import type {Workflow} from '../../../engine/runs/contract.ts';

/**
 * A forge repository whose deliveries become events, and the workflow for pushes that no handler matches.
 */
export interface PutWebhookBody {
  /**
   * Name of a connector that describes a forge: `forge_a`, `forge_b`.
   */
  forge: string;
  /**
   * `owner/name`; the subject of all events from this webhook.
   */
  repo: string;
  /**
   * The address of the forge's API; required if the forge has no default host and its API is called.
   */
  api_base?: string;
  /**
   * Name of a bearer credential that can administer the repository's webhooks.
   */
  credential?: string;
  /**
   * If true, svc creates or updates the webhook at the forge. If false, svc removes it there. By default, the webhook stays unchanged.
   */
  auto_register?: boolean;
  /**
   * If true, svc creates a new secret, and the old one expires immediately. Default: false.
   */
  rotate?: boolean;
  /**
   * A pipeline document to run on each push; shorthand for a workflow of kind `pipeline`.
   */
  pipeline?: string;
  /**
   * The workflow for pushes that no handler matches.
   */
  workflow?: Workflow;
}
