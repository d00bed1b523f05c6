import type { HookSpec } from '../../../integrations/hooks/contract.ts';
import type { NodeConfig } from '../contract.ts';
import { eventTypesOf, type Verification, verificationOf } from '../nodes/triggers.ts';

/** The suffix of the event type for deliveries that have no type of their own. */
const DEFAULT_TYPE = 'received';

export interface DesiredHook {
  spec: HookSpec;
  /** The types of events that start a run. */
  on: string[];
}

/**
 * Builds the hook of a webhook trigger. `key` verifies its deliveries; `finds_types` is true when its manifest says
 * where a delivery has its type.
 */
export function toHook(name: string, config: NodeConfig, key: string, finds_types: boolean): DesiredHook {
  const types = eventTypesOf(config);
  const verification = verificationOf(config);
  if (verification?.manifest !== undefined && finds_types) {
    const on = types.length > 0 ? types.map((type) => `${name}.${type}`) : [`${name}.*`];
    return { spec: { mode: 'manifest', manifest: verification.manifest, key, event_type: null }, on };
  }
  const event_type = `${name}.${types[0] ?? DEFAULT_TYPE}`;
  return { spec: toSpec(verification, key, event_type), on: [event_type] };
}

function toSpec(verification: Verification | undefined, key: string, event_type: string): HookSpec {
  if (!verification) return { mode: 'token', event_type };
  const { manifest, hmac } = verification;
  if (manifest !== undefined) return { mode: 'manifest', manifest, key, event_type };
  const settings = { prefix: '', algorithm: 'sha256', encoding: 'hex', ...hmac! } as const;
  return { mode: 'hmac', hmac: settings, key, event_type };
}
