import type { PluginManifest } from '../contracts/index.ts';
import { compile } from '../schema/index.ts';
import type { Found } from './discover.ts';
import { BootErrors } from './errors.ts';

/** The kernel's own API version; a plugin names the range it was written for. */
export const KERNEL_API = 1;

const names = { type: 'array', items: { type: 'string', minLength: 1 }, uniqueItems: true };

const check = compile({
  type: 'object',
  additionalProperties: false,
  required: ['id', 'version', 'kernel', 'requires', 'provides', 'contributes', 'summary'],
  properties: {
    id: { type: 'string', pattern: '^[a-z][a-z0-9-]{0,62}$' },
    version: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+([-+].*)?$' },
    kernel: { type: 'string', pattern: '^\\^\\d+$' },
    requires: names,
    provides: names,
    contributes: names,
    summary: { type: 'string', minLength: 1, maxLength: 200 },
  },
});

export interface Candidate {
  manifest: PluginManifest;
  folder: string;
  origin: string;
  builtin: boolean;
}

/** Checks every manifest and how they fit; all faults are reported at once, before any code is loaded. */
export function validate(found: readonly Found[]): Candidate[] {
  const faults: string[] = [];
  const candidates = found.flatMap((one): Candidate[] => {
    const wrong = one.fault ? [one.fault] : check(one.manifest).map((f) => `plugin.json ${f.pointer}: ${f.message}`);
    faults.push(...wrong.map((fault) => `${one.origin}: ${fault}`));
    if (wrong.length > 0) return [];
    return [{ manifest: one.manifest as PluginManifest, folder: one.folder, origin: one.origin, builtin: one.builtin }];
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
    if (holder !== undefined) faults.push(`${origin}: the id "${manifest.id}" is that of ${holder}`);
    byId.set(manifest.id, origin);
    if (manifest.kernel !== `^${KERNEL_API}`)
      faults.push(`${origin}: made for kernel ${manifest.kernel}, this is ${KERNEL_API}; get a version made for it`);
    for (const name of manifest.provides) {
      const provider = providers.get(name);
      if (provider !== undefined) faults.push(`${origin}: provides ${name}, as ${provider} does`);
      providers.set(name, origin);
    }
  }
  for (const { manifest, origin } of candidates)
    for (const id of manifest.requires)
      if (!byId.has(id)) faults.push(`${origin}: requires "${id}", which is not there; add it to SVC_PLUGINS`);
  return faults;
}
