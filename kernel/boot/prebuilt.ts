/**
 * The modules of built-in plugins in the prebuilt kernel, by their path without extension. Empty if the kernel was loaded from
 * the sources; cli/prebuilt/entries.mjs fills it.
 */
export const prebuilt = new Map<string, () => unknown>();
