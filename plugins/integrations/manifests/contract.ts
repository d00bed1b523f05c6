import { defineError, extensionPoint, type JsonSchema, token } from '../../../kernel/contracts/index.ts';
import type { ConnectorManifest, HookSection } from './generated/connector-manifest.ts';
import schema from './schema/connector-manifest.schema.json' with { type: 'json' };

export type {
  ConnectorManifest,
  DeliveryPlace,
  EventTypePlace,
  ForgeApi,
  ForgeCall,
  ForgeSection,
  ForgeShape,
  HookSection,
  ManifestAction,
  ManifestCredential,
  ManifestExample,
  ManifestSign,
  ManifestTest,
  ManifestTrigger,
  ManifestValue,
  RequestTemplate,
} from './generated/connector-manifest.ts';

export { ManifestErrors } from './contract/errors.ts';
export { describeLocation } from './contract/location.ts';
import type { ManifestProblem } from './contract/problem.ts';

export { formatProblem, type ManifestProblem } from './contract/problem.ts';

/** The JSON Schema (2020-12) of a manifest. */
export const connectorSchema: JsonSchema = schema;

/** A connector, and the file or plugin that it comes from. */
export interface Connector {
  manifest: ConnectorManifest;
  origin: string;
  /** It comes with svc. Tests have shown that its expressions compile, so this is done when one is first used. */
  builtin?: boolean;
  /** It comes from SVC_CONNECTORS: its file can change while the server runs. */
  watched?: boolean;
}

/** The connectors. Every manifest of `connectors/` and SVC_CONNECTORS is a plugin that contributes one. */
export const Connectors = extensionPoint<Connector>('manifests.Connectors', { key: ({ manifest }) => manifest.name });

/** Rules for connectors that are added or changed while the server runs, besides those for their form. */
export interface ConnectorCheck {
  name: string;
  /** Everything that prevents the use of a connector. `current` is the one that it replaces. */
  check(connector: Connector, current: Connector | undefined): readonly ManifestProblem[];
}

export const ConnectorChecks = extensionPoint<ConnectorCheck>('manifests.ConnectorChecks', { key: ({ name }) => name });

/** The manifests of all connectors. Those of SVC_CONNECTORS change with their files while the server runs. */
export interface ConnectorManifests {
  find(name: string): ConnectorManifest | undefined;
  /** All manifests, sorted by name. */
  all(): readonly ConnectorManifest[];
  /** All connectors, sorted by name. The list is another one after each change, and its unchanged members stay the same. */
  connectors(): readonly Connector[];
  /** What is wrong with changed files, whose last valid versions stay in use. Files have the names that a folder gives them. */
  problems(): readonly FileProblem[];
}

export const ConnectorManifests = token<ConnectorManifests>('manifests.ConnectorManifests');

/** A delivery as it arrived. Header names are in lower case; the body is the decoded bytes. */
export interface SignedDelivery {
  headers: Readonly<Record<string, string | undefined>>;
  raw: Buffer;
}

/**
 * The result of a check. A failed check is `missing` (a header is absent), `wrong` or `stale`, and `detail` explains it
 * without any part of the signature or the key.
 */
export type SignatureResult =
  | {
      ok: true;
      delivery_id: string | undefined;
      /** The event type, by the rule of the section. */
      event_type: string | undefined;
      /** Set when the delivery only probes the address. The sender expects this value in return. */
      challenge?: string;
    }
  | { ok: false; reason: 'missing' | 'wrong' | 'stale'; detail: string };

/**
 * Verifies raw bytes against a manifest section, in constant time and within its time window. An empty key rejects
 * every delivery.
 */
export interface SignatureCheck {
  /** `now` is epoch ms. The body is not parsed before its signature is verified. */
  verify(section: HookSection, key: string, delivery: SignedDelivery, now: number): SignatureResult;
  /** Explains why a text is not a valid key for this section, without repeating any of it; undefined when it is. */
  validateKey(section: HookSection, key: string): string | undefined;
}

export const SignatureCheck = token<SignatureCheck>('manifests.SignatureCheck');

/** The answer to a signed delivery that does not verify. `detail` gives the reason. */
export const signatureInvalid = defineError({
  code: 'signature_invalid',
  status: 401,
  title: "The delivery's signature is missing or invalid.",
  next: 'Sign the raw bytes of the body with the key stored in svc, as `detail` describes. Check the clocks of both machines.',
});

/** Reads manifests of files and folders, as the start does. */
export interface ManifestReading {
  /** The connectors of the package and those of SVC_CONNECTORS. */
  installed(env: Readonly<Record<string, string | undefined>>): Promise<ReadManifests>;
  /** The manifests of these files, of these folders, or of the folders in them. */
  read(paths: readonly string[]): Promise<ReadManifests>;
  /** A parsed document: the manifest, or everything that is wrong with it but for its templates. */
  check(document: unknown): { manifest: ConnectorManifest } | { problems: ManifestProblem[] };
}

export interface ReadManifests {
  connectors: Connector[];
  problems: FileProblem[];
}

/** A problem and the file that has it. */
export interface FileProblem extends ManifestProblem {
  file: string;
}

export const ManifestReading = token<ManifestReading>('manifests.ManifestReading');
