import { Errors } from '../../../../kernel/contracts/index.ts';
import { ArtifactErrors } from '../errors.ts';

/** The bytes from `from` up to, but not including, `to`. */
export interface ByteRange {
  from: number;
  to: number;
}

const CONTENT_RANGE = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/;
/** Everything is stored, and the upload only needs to be completed. */
const COMPLETE = /^bytes \*\/(\d{1,15})$/;
const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/** Parses the `Content-Range` of an upload that continues. Throws `invalid_request`. */
export function parseContentRange(text: string | undefined): (ByteRange & { size: number }) | undefined {
  if (text === undefined) return undefined;
  const [, size] = COMPLETE.exec(text.trim()) ?? [];
  if (size !== undefined) return { from: Number(size), to: Number(size), size: Number(size) };
  const [, first, last, total] = CONTENT_RANGE.exec(text.trim()) ?? [];
  const range = { from: Number(first), to: Number(last) + 1, size: Number(total) };
  if (first !== undefined && range.from < range.to && range.to <= range.size) return range;
  const message = 'must be written like bytes 8388608-16777215/20000000';
  throw Errors.invalidRequest(`Content-Range ${message}`, { errors: [{ pointer: '/headers/content-range', message }] });
}

/**
 * Parses the range of a download. Returns undefined for the whole content, also if the header has a form that may be
 * ignored (several ranges, another unit). Throws `artifact_range_invalid` when the range begins after the end.
 */
export function parseRange(text: string | undefined, size: number): ByteRange | undefined {
  const [, first = '', last = ''] = RANGE.exec(text?.trim() ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const range =
    first === ''
      ? { from: Math.max(0, size - Number(last)), to: size }
      : { from: Number(first), to: Math.min(size, last === '' ? size : Number(last) + 1) };
  if (range.from < range.to) return range;
  // A range that ends before its start is ignored.
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  throw ArtifactErrors.rangeNotSatisfiable(`the artifact is ${size} bytes long`, { data: { size } });
}
