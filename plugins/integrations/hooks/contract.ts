import { token, type Transaction } from '../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../platform/resources/contract.ts';

/** How deliveries are signed without a manifest: an HMAC of the body in a header. */
export interface HmacSettings {
  header: string;
  /** Before the signature in its header; may be empty. */
  prefix: string;
  algorithm: 'sha256' | 'sha1' | 'sha512';
  encoding: 'hex' | 'base64';
}

/**
 * The settings of a hook. Signing keys are sealed; of a shared token, which the service creates, only a digest is
 * stored.
 */
export type HookSpec =
  | { mode: 'token'; event_type: string }
  | { mode: 'manifest'; manifest: string; key: string; event_type: string | null }
  | { mode: 'hmac'; hmac: HmacSettings; key: string; event_type: string };

/** A hook that a plugin created. It exists as long as its owner. */
export interface MintedHook extends ProjectScope {
  /** The name `graph.<graph>.<node>`. The types of its events begin with it and a dot. */
  name: string;
  /** `graph:<graph>`; only the same owner changes or removes it. At most 128 ASCII characters. */
  owner: string;
  spec: HookSpec;
}

export interface HookMinting {
  /**
   * Creates or changes the hook and keeps its id and shared token. `secret` is set when a token was created. The caller
   * must call `Sealer.prepare` for the org before its transaction. Throws `invalid_request`, `name_conflict` when
   * another owner has the name, and `hooks_full`.
   */
  mint(tx: Transaction, hook: MintedHook): Promise<{ hook_id: string; ingest_url: string; secret?: string }>;
  /** Removes the hook. Returns false when this owner has no hook of that name. */
  drop(tx: Transaction, hook: Pick<MintedHook, 'org_id' | 'project_id' | 'name' | 'owner'>): Promise<boolean>;
}

export const HookMinting = token<HookMinting>('hooks.HookMinting');
