import { token, type Transaction } from '../../kernel/contracts/index.ts';
import type { ProjectScope } from '../bus/contract.ts';

/** How deliveries are signed, where no manifest says so: an HMAC of the body in a header. */
export interface HmacSettings {
  header: string;
  /** Before the signature in its header; may be empty. */
  prefix: string;
  algorithm: 'sha256' | 'sha1' | 'sha512';
  encoding: 'hex' | 'base64';
}

/** What a hook is to be. Signing keys are sealed; of a shared token, which the service makes, only a digest is kept. */
export type HookSpec =
  | { mode: 'token'; event_type: string }
  | { mode: 'manifest'; manifest: string; key: string; event_type: string | null }
  | { mode: 'hmac'; hmac: HmacSettings; key: string; event_type: string };

/** A hook that something else than a person made, for as long as that is there. */
export interface MintedHook extends ProjectScope {
  /** `graph.<graph>.<node>`: the types of its events begin with it and a dot. */
  name: string;
  /** `graph:<graph>`; only the same one changes or drops it. At most 128 ASCII characters. */
  owner: string;
  spec: HookSpec;
}

export interface HookMinting {
  /**
   * Makes the hook, or changes what it is; id and shared token then stay. `secret` is there when a token was made. The
   * caller has had `Sealer.prepare` of the org done before its transaction began. Throws `invalid_request`,
   * `name_conflict` when another owner has the name, `hooks_full`.
   */
  mint(tx: Transaction, hook: MintedHook): Promise<{ hook_id: string; ingest_url: string; secret?: string }>;
  /** False when this owner has no hook of that name. */
  drop(tx: Transaction, hook: Pick<MintedHook, 'org_id' | 'project_id' | 'name' | 'owner'>): Promise<boolean>;
}

export const HookMinting = token<HookMinting>('hooks.HookMinting');
