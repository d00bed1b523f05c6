import { suggestName } from '../../../platform/schema/contract.ts';
import type { ProviderPreset } from '../generated/provider-preset.ts';
import presets from '../presets.json' with { type: 'json' };

export type { ProviderPreset };

/** Public providers, by name. A test checks them with their schema. */
export const PRESETS: readonly ProviderPreset[] = presets as ProviderPreset[];

export const findPreset = (name: string): ProviderPreset | undefined => PRESETS.find(({ preset }) => preset === name);

/** Completes an entry of the settings with the preset that it names. What the entry itself says wins. */
export function withPreset(entry: unknown): { entry: unknown } | { error: string } {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return { entry };
  const { preset: name, ...members } = entry as Record<string, unknown>;
  if (typeof name !== 'string') return { entry };
  const preset = findPreset(name);
  if (preset === undefined) return { error: unknownPreset(name) };
  const { title, source, settings } = preset;
  return { entry: { name, title, docs_url: source, ...settings, ...members } };
}

export function unknownPreset(name: string): string {
  const similar = suggestName(
    name,
    PRESETS.map(({ preset }) => preset),
  );
  return `names no preset${similar === undefined ? '' : `; did you mean ${similar}?`} (svc provider presets lists them)`;
}
