import { Errors } from '../../../kernel/contracts/index.ts';

/** Text and JSON become 5 to 20 times as long. Only endless repetition becomes 1,000 times as long. */
const DEFAULT = 100;
const MIN = 2;
const MAX = 10_000;

/**
 * Reads `SVC_DECOMPRESSION_RATIO`: how many times as long as its compressed bytes a large answer may become. Returns Infinity
 * for `off`. Throws `setting_invalid`.
 */
export function readRatio(setting: string | undefined): number {
  const text = setting?.trim() ?? '';
  if (text === '') return DEFAULT;
  if (text === 'off') return Infinity;
  const ratio = Number(text);
  if (/^\d{1,5}$/.test(text) && ratio >= MIN && ratio <= MAX) return ratio;
  throw Errors.settingInvalid(
    `SVC_DECOMPRESSION_RATIO is "${text}"; write a whole number from ${MIN} to ${MAX}, or off`,
  );
}
