import { Errors } from '../../../../kernel/contracts/index.ts';

const UNITS: Readonly<Record<string, number>> = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };
const SIZE = /^([1-9]\d{0,11})(B|KiB|MiB|GiB)$/;
const DEFAULT_LIMIT = 5 * UNITS.GiB!;
const MAX_LIMIT = 64 * UNITS.GiB!;

/**
 * Parses `SVC_ARTIFACT_LIMIT`, the maximum bytes of one artifact, such as `500MiB`. The default is 5 GiB. Throws
 * `setting_invalid`.
 */
export function parseLimit(text: string | undefined): number {
  if (text === undefined || text.trim() === '') return DEFAULT_LIMIT;
  const [, count, unit] = SIZE.exec(text.trim()) ?? [];
  const bytes = Number(count) * (UNITS[unit ?? ''] ?? 0);
  if (bytes > 0 && bytes <= MAX_LIMIT) return bytes;
  throw Errors.settingInvalid(
    `SVC_ARTIFACT_LIMIT is "${text}"; write a whole number and B, KiB, MiB or GiB, at most 64GiB`,
  );
}
