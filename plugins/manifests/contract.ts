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

/** The connectors of `connectors/` and of SVC_CONNECTORS, read and checked at start. */
export interface ConnectorManifests {
  find(name: string): ConnectorManifest | undefined;
  /** In order of their names. */
  all(): readonly ConnectorManifest[];
}

export const ConnectorManifests = token<ConnectorManifests>('manifests.ConnectorManifests');

/** A delivery as it came: headers by their names in lower case, the decoded bytes of the body. */
export interface SignedDelivery {
  headers: Readonly<Record<string, string | undefined>>;
  raw: Buffer;
}

/**
 * What came of a check. `missing` (a header is absent), `wrong` and `stale` say why, for the answer's detail; none of
 * them holds any of the signature or the key.
 */
export type SignatureVerdict =
  | { ok: true; delivery_id: string | undefined; event_type: string | undefined }
  | { ok: false; fault: 'missing' | 'wrong' | 'stale'; detail: string };

/** Verifies raw bytes against a section, in constant time and inside its window. An empty key refuses everything. */
export interface SignatureCheck {
  /** `now` is epoch ms. Nothing of the body is read before its signature is right. */
  verify(section: HookSection, key: string, delivery: SignedDelivery, now: number): SignatureVerdict;
  /** Why a text is no key of this section, in words without any of it; undefined when it is one. */
  keyFault(section: HookSection, key: string): string | undefined;
}

export const SignatureCheck = token<SignatureCheck>('manifests.SignatureCheck');

/** What whoever takes signed deliveries answers to one that does not verify; the verdict's detail says why. */
export const signatureInvalid = defineError({
  code: 'signature_invalid',
  status: 401,
  title: 'The signature of the delivery is absent or not right.',
  next: 'Sign the raw bytes of the body with the key that was set here, as the detail says; check the clocks of both sides.',
});
