/** `svc/plugin`: what authors of plugins and of connectors import. */
export * from '../kernel/contracts/index.ts';
export { readSince } from './schema/contract.ts';
export type {
  ConnectorManifest,
  HookSection,
  ManifestAction,
  ManifestCredential,
  ManifestExample,
  ManifestFault,
  ManifestValue,
  RequestTemplate,
} from './manifests/contract.ts';
