import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Plugin, PluginManifest } from '../contracts/index.ts';
import type { DiscoveredPlugin } from './discover.ts';
import { BootErrors } from './errors.ts';

/** The kernel's API version. Each plugin names the range that it supports. */
export const KERNEL_API = 1;

const names = { type: 'array', items: { type: 'string', minLength: 1 }, uniqueItems: true };

// The schema is ours and tested. Validating it against the meta-schema would take most of the time of a boot.
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
  /** The wing of a built-in plugin. */
  wing?: string;
  plugin?: Plugin;
}

function problemsOf({ problem: fault, manifest }: DiscoveredPlugin): string[] {
  if (fault !== undefined) return [fault];
  if (isManifest(manifest)) return [];
  return isManifest.errors!.map(({ instancePath, params, message }) => {
    const member = params.additionalProperty === undefined ? '' : `/${params.additionalProperty}`;
    return `plugin.json ${instancePath}${member}: ${message}`;
  });
}

/** Validates every manifest and all requirements, and reports every error at once, before any code is loaded. */
export function validate(found: readonly DiscoveredPlugin[]): Candidate[] {
  const problems: string[] = [];
  const candidates = found.flatMap((plugin): Candidate[] => {
    const plugin_problems = problemsOf(plugin);
    problems.push(...plugin_problems.map((problem) => `${plugin.origin}: ${problem}`));
    if (plugin_problems.length > 0) return [];
    return [{ ...plugin, manifest: plugin.manifest as PluginManifest }];
  });
  problems.push(...findConflicts(candidates));
  if (problems.length > 0) throw BootErrors.pluginsInvalid(problems.join('; '));
  return candidates;
}

function findConflicts(candidates: readonly Candidate[]): string[] {
  const problems: string[] = [];
  const byId = new Map<string, string>();
  const providers = new Map<string, string>();
  for (const { manifest, origin } of candidates) {
    const holder = byId.get(manifest.id);
    if (holder !== undefined) problems.push(`${origin}: the id "${manifest.id}" is already used by ${holder}`);
    byId.set(manifest.id, origin);
    if (manifest.kernel !== `^${KERNEL_API}`)
      problems.push(
        `${origin}: needs kernel ${manifest.kernel}, but this is ${KERNEL_API}; install a version for this kernel`,
      );
    for (const name of manifest.provides) {
      const provider = providers.get(name);
      if (provider !== undefined) problems.push(`${origin}: provides ${name}, which ${provider} also provides`);
      providers.set(name, origin);
    }
  }
  for (const { manifest, origin } of candidates)
    for (const id of manifest.requires)
      if (!byId.has(id)) problems.push(`${origin}: requires "${id}", which is not loaded; add it to SVC_PLUGINS`);
  return problems;
}
