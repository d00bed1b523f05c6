import { Errors } from '../../../kernel/contracts/index.ts';
import { ArtifactErrors } from '../errors.ts';

/** Bytes `from` to `to`, without `to`. */
export interface ByteRange {
  from: number;
  to: number;
}

const CONTENT_RANGE = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/;
/** All is stored, and only to be completed. */
const COMPLETE = /^bytes \*\/(\d{1,15})$/;
const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/** `Content-Range` of an upload that continues: which bytes of how many. Throws `invalid_request`. */
export function readContentRange(text: string | undefined): (ByteRange & { size: number }) | undefined {
  if (text === undefined) return undefined;
  const [, whole] = COMPLETE.exec(text.trim()) ?? [];
  if (whole !== undefined) return { from: Number(whole), to: Number(whole), size: Number(whole) };
  const [, first, last, total] = CONTENT_RANGE.exec(text.trim()) ?? [];
  const range = { from: Number(first), to: Number(last) + 1, size: Number(total) };
  if (first !== undefined && range.from < range.to && range.to <= range.size) return range;
  const message = 'must be written like bytes 8388608-16777215/20000000';
  throw Errors.invalidRequest(`Content-Range ${message}`, { errors: [{ pointer: '/headers/content-range', message }] });
}

/**
 * The one range that a download asks for; undefined for the whole, also when the header has a form that may be ignored
 * (several ranges, another unit). Throws `artifact_range_invalid` when it begins behind the end.
 */
export function readRange(text: string | undefined, size: number): ByteRange | undefined {
  const [, first = '', last = ''] = RANGE.exec(text?.trim() ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const range =
    first === ''
      ? { from: Math.max(0, size - Number(last)), to: size }
      : { from: Number(first), to: Math.min(size, last === '' ? size : Number(last) + 1) };
  if (range.from < range.to) return range;
  // A range whose end lies before its start is no range.
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  throw ArtifactErrors.rangeNotSatisfiable(`the artifact has ${size} bytes`, { data: { size } });
}
