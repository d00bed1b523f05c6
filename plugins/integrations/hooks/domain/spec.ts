import { isReserved, isReservedPrefix, validateEventType } from '../../../events/bus/contract.ts';
import type { ConnectorManifests, HookSection, SignatureCheck } from '../../manifests/contract.ts';
import type { HmacSettings, HookSpec } from '../contract.ts';
import type { PutHook } from '../generated/put-hook.ts';
import { invalid } from './names.ts';

export interface SpecDeps {
  manifests: ConnectorManifests;
  check: SignatureCheck;
}

/** Returns the hook section of a manifest; undefined when there is none. */
export function findSection(manifests: ConnectorManifests, name: string): HookSection | undefined {
  return manifests.find(name)?.hook;
}

/** Returns the section for HMAC settings. */
export const hmacSection = ({ header, prefix, algorithm, encoding }: HmacSettings): HookSection => ({
  signature: { header, prefix, algorithm, encoding },
});

const signing = 'describes how its deliveries are signed';

const listConnectors = (manifests: ConnectorManifests): string =>
  manifests
    .all()
    .filter(({ hook }) => hook !== undefined)
    .map(({ name }) => name)
    .join(', ');

function checkType(type: string, pointer: string): string {
  const error = validateEventType(type) ?? (isReserved(type) ? 'is a type that only the service can emit' : undefined);
  if (error !== undefined) throw invalid(pointer, error);
  return type;
}

/** `hook.<name>`, which may be too long for a type. */
function defaultType(name: string): string {
  const type = `hook.${name}`;
  if (validateEventType(type) !== undefined)
    throw invalid('/event_type', `is required, because ${type} is too long for an event type`);
  return type;
}

/**
 * Rejects reserved prefixes, because the types of a manifest's deliveries begin with the name of the hook. `run.`,
 * `svc.` and `schedule.` belong to the service.
 */
function checkPrefix(name: string): null {
  if (isReservedPrefix(name))
    throw invalid(
      '/event_type',
      `is required, because some types that begin with ${name}. are reserved for the service`,
    );
  return null;
}

/** The hook that the body of a `PUT` describes. Throws `invalid_request`; the message never repeats a key. */
export function readSpec(name: string, body: PutHook, { manifests, check }: SpecDeps): HookSpec {
  const { manifest, hmac, key } = body;
  const requested_type = body.event_type === undefined ? undefined : checkType(body.event_type, '/event_type');
  if (hmac !== undefined) {
    if (manifest !== undefined)
      throw invalid('/hmac', 'cannot be combined with `manifest`: only one of them can describe the signature');
    if (key !== undefined) throw invalid('/key', 'belongs in `hmac`');
    const { key: secret, ...rest } = hmac;
    const settings: HmacSettings = { prefix: '', algorithm: 'sha256', encoding: 'hex', ...rest };
    checkKey(check, hmacSection(settings), secret, '/hmac/key');
    return { mode: 'hmac', hmac: settings, key: secret, event_type: requested_type ?? defaultType(name) };
  }
  if (manifest === undefined) {
    if (key !== undefined) throw invalid('/key', 'needs `manifest`; the service creates shared tokens itself');
    return { mode: 'token', event_type: requested_type ?? defaultType(name) };
  }
  const section = findSection(manifests, manifest);
  if (section === undefined)
    throw invalid('/manifest', `is not a connector that ${signing}; ${listConnectors(manifests)} do`);
  if (key === undefined) throw invalid('/key', 'is required with `manifest`: the key that the sender signs with');
  checkKey(check, section, key, '/key');
  const event_type = requested_type ?? (section.event_type === undefined ? defaultType(name) : checkPrefix(name));
  return { mode: 'manifest', manifest, key, event_type };
}

/** Throws `invalid_request` at the pointer of the key, without any part of it. */
export function checkKey(check: SignatureCheck, section: HookSection, key: string, pointer: string): void {
  const error = check.validateKey(section, key);
  if (error !== undefined) throw invalid(pointer, error);
}

/** Throws `invalid_request` when the types of a plugin's hook would not begin with its name. */
export function checkMintedSpec(name: string, spec: HookSpec, { manifests, check }: SpecDeps): void {
  if (spec.event_type !== null && !checkType(spec.event_type, '/event_type').startsWith(`${name}.`))
    throw invalid('/event_type', `must begin with ${name}.`);
  if (spec.mode === 'token') return;
  const section = spec.mode === 'hmac' ? hmacSection(spec.hmac) : findSection(manifests, spec.manifest);
  if (section === undefined) throw invalid('/manifest', `is not a connector that ${signing}`);
  checkKey(check, section, spec.key, '/key');
}
