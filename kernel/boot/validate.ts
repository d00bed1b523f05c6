import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Plugin, PluginManifest } from '../contracts/index.ts';
import type { Found } from './discover.ts';
import { BootErrors } from './errors.ts';

/** The kernel's API version; a plugin names the range it supports. */
export const KERNEL_API = 1;

const names = { type: 'array', items: { type: 'string', minLength: 1 }, uniqueItems: true };

// A schema of our own: to check it against the schema of schemas would take most of the time.
const ajv = new Ajv2020({ allErrors: true, strict: true, validateSchema: false, meta: false });
const isManifest = ajv.compile<PluginManifest>({
  type: 'object',
  additionalProperties: false,
  required: ['id', 'version', 'kernel', 'requires', 'provides', 'contributes', 'summary'],
  properties: {
    id: { type: 'string', pattern: '^[a-z][a-z0-9-]{0,62}(:[a-z][a-z0-9_-]{0,62})?$' },
    version: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+([-+].*)?$' },
    kernel: { type: 'string', pattern: '^\\^\\d+$' },
    requires: names,
    provides: names,
    contributes: names,
    roles: { type: 'array', items: { enum: ['server', 'agent', 'dev', 'local'] }, minItems: 1 },
    summary: { type: 'string', minLength: 1, maxLength: 200 },
    adapts: { type: 'boolean' },
  },
});

export interface Candidate {
  manifest: PluginManifest;
  folder: string;
  origin: string;
  builtin: boolean;
  plugin?: Plugin;
}

function faultsOf({ fault, manifest }: Found): string[] {
  if (fault !== undefined) return [fault];
  if (isManifest(manifest)) return [];
  return isManifest.errors!.map(({ instancePath, params, message }) => {
    const member = params.additionalProperty === undefined ? '' : `/${params.additionalProperty}`;
    return `plugin.json ${instancePath}${member}: ${message}`;
  });
}

/** Checks every manifest and all requirements. All faults are reported at once, before any code is loaded. */
export function validate(found: readonly Found[]): Candidate[] {
  const faults: string[] = [];
  const candidates = found.flatMap((one): Candidate[] => {
    const wrong = faultsOf(one);
    faults.push(...wrong.map((fault) => `${one.origin}: ${fault}`));
    if (wrong.length > 0) return [];
    return [{ ...one, manifest: one.manifest as PluginManifest }];
  });
  faults.push(...misfits(candidates));
  if (faults.length > 0) throw BootErrors.pluginsInvalid(faults.join('; '));
  return candidates;
}

function misfits(candidates: readonly Candidate[]): string[] {
  const faults: string[] = [];
  const byId = new Map<string, string>();
  const providers = new Map<string, string>();
  for (const { manifest, origin } of candidates) {
    const holder = byId.get(manifest.id);
    if (holder !== undefined) faults.push(`${origin}: the id "${manifest.id}" is already used by ${holder}`);
    byId.set(manifest.id, origin);
    if (manifest.kernel !== `^${KERNEL_API}`)
      faults.push(
        `${origin}: needs kernel ${manifest.kernel}, but this is ${KERNEL_API}; install a version for this kernel`,
      );
    for (const name of manifest.provides) {
      const provider = providers.get(name);
      if (provider !== undefined) faults.push(`${origin}: provides ${name}, which ${provider} also provides`);
      providers.set(name, origin);
    }
  }
  for (const { manifest, origin } of candidates)
    for (const id of manifest.requires)
      if (!byId.has(id)) faults.push(`${origin}: requires "${id}", which is not loaded; add it to SVC_PLUGINS`);
  return faults;
}
