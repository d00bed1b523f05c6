import { defineError, token } from '../../kernel/contracts/index.ts';
import type { ConnectorManifest, HookSection } from './generated/connector-manifest.ts';

export type {
  ConnectorManifest,
  DeliveryPlace,
  ForgeApi,
  ForgeCall,
  ForgeSection,
  HookSection,
} from './generated/connector-manifest.ts';

export { ManifestErrors } from './contract/errors.ts';

/** The connectors of `connectors/` and of SVC_CONNECTORS, read and checked at start. */
export interface ConnectorManifests {
  find(name: string): ConnectorManifest | undefined;
  /** In order of their names. */
  all(): readonly ConnectorManifest[];
}

export const ConnectorManifests = token<ConnectorManifests>('manifests.ConnectorManifests');

/** A delivery as it arrived. Header names are in lower case; the body is the decoded bytes. */
export interface SignedDelivery {
  headers: Readonly<Record<string, string | undefined>>;
  raw: Buffer;
}

/**
 * The result of a check. `missing` (a header is absent), `wrong` and `stale` give the reason for the answer's detail.
 * None of them contains any part of the signature or the key.
 */
export type SignatureVerdict =
  | { ok: true; delivery_id: string | undefined; event_type: string | undefined }
  | { ok: false; fault: 'missing' | 'wrong' | 'stale'; detail: string };

/**
 * Verifies raw bytes against a manifest section, in constant time and inside its time window. An empty key refuses
 * every delivery.
 */
export interface SignatureCheck {
  /** `now` is epoch ms. The body is not parsed before its signature is verified. */
  verify(section: HookSection, key: string, delivery: SignedDelivery, now: number): SignatureVerdict;
  /** Why a text is not a valid key for this section, without repeating any of it; undefined when it is valid. */
  keyFault(section: HookSection, key: string): string | undefined;
}

export const SignatureCheck = token<SignatureCheck>('manifests.SignatureCheck');

/** The answer to a signed delivery that does not verify. The verdict's detail gives the reason. */
export const signatureInvalid = defineError({
  code: 'signature_invalid',
  status: 401,
  title: 'The signature of the delivery is missing or wrong.',
  next: 'Sign the raw bytes of the body with the key that was set here, as `detail` describes. Check the clocks of both sides.',
});
