import type { HookSpec } from '../../hooks/contract.ts';
import type { NodeConfig } from '../contract.ts';
import { eventTypesOf, type Verification, verificationOf } from '../nodes/triggers.ts';

/** What comes after the name in the type of a delivery that has no type of its own. */
const DEFAULT_TYPE = 'received';

export interface WantedHook {
  spec: HookSpec;
  /** The types of events that start a run. */
  on: string[];
}

/**
 * The hook of a webhook trigger called `name`. `key`: of its verification. `finds_types`: its manifest says where a
 * delivery has its type.
 */
export function hookOf(name: string, config: NodeConfig, key: string, finds_types: boolean): WantedHook {
  const given = eventTypesOf(config);
  const verification = verificationOf(config);
  if (verification?.manifest !== undefined && finds_types) {
    const on = given.length > 0 ? given.map((type) => `${name}.${type}`) : [`${name}.*`];
    return { spec: { mode: 'manifest', manifest: verification.manifest, key, event_type: null }, on };
  }
  const event_type = `${name}.${given[0] ?? DEFAULT_TYPE}`;
  return { spec: specOf(verification, key, event_type), on: [event_type] };
}

function specOf(verification: Verification | undefined, key: string, event_type: string): HookSpec {
  if (!verification) return { mode: 'token', event_type };
  const { manifest, hmac } = verification;
  if (manifest !== undefined) return { mode: 'manifest', manifest, key, event_type };
  const settings = { prefix: '', algorithm: 'sha256', encoding: 'hex', ...hmac! } as const;
  return { mode: 'hmac', hmac: settings, key, event_type };
}
