// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

import type {Workflow} from '../../runs/contract.ts';

/**
 * A repository at a forge whose deliveries become events, and what runs at its pushes where no handler does.
 */
export interface PutWebhookBody {
  /**
   * Name of a connector that describes a forge: `forge_a`, `forge_b`.
   */
  forge: string;
  /**
   * `owner/name`; the subject of every event of this webhook.
   */
  repo: string;
  /**
   * Where the forge's API is; required for a forge without a host of its own, as far as it is called.
   */
  api_base?: string;
  /**
   * Name of a bearer credential that may administer webhooks of the repository.
   */
  credential?: string;
  /**
   * Make the webhook at the forge, or bring it up to date there. False: remove it there. Absent: leave it as it is.
   */
  auto_register?: boolean;
  /**
   * Make a new secret; the old one ends at once. Default false.
   */
  rotate?: boolean;
  /**
   * A pipeline document that runs at pushes: short for a workflow of kind `pipeline`.
   */
  pipeline?: string;
  /**
   * What runs at pushes that no handler matches.
   */
  workflow?: Workflow;
}
