/** `svc/plugin`: what authors of plugins and of connectors import. */
export * from '../kernel/contracts/index.ts';
export { readSince } from './platform/schema/contract.ts';
export type {
  ConnectorManifest,
  HookSection,
  ManifestAction,
  ManifestCredential,
  ManifestExample,
  ManifestProblem,
  ManifestValue,
  RequestTemplate,
} from './integrations/manifests/contract.ts';
