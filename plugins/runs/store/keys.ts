import { hash } from 'node:crypto';
import type { IncludedFile } from '../contract.ts';
import { canonicalFiles } from '../domain/included-files.ts';

const sha256 = (text: string): string => hash('sha256', text, 'hex');

/** Key of a chosen text of one kind, byte by byte and of any length. 40 hexadecimal digits. */
export const keyOf = (kind: string, text: string): string => sha256(`${kind}\0${text}`).slice(0, 40);

/** Identifies a document within its project: its text, and the files beside it. */
export const sourceDigest = (source: string, files: readonly IncludedFile[] = []): string =>
  files.length === 0 ? sha256(source) : sha256(`files\0${sha256(source)}\0${JSON.stringify(canonicalFiles(files))}`);

/** The value of `runs_runs.key_digest`; keys are compared only by it. */
export const idempotencyDigest = (key: string): string => sha256(`idempotency\0${key}`);

/**
 * The lane of an org's activities for this executor with these requirements, which are sorted and distinct. `mark` keeps apart
 * what differs in something else.
 */
export const laneOf = (org_id: string, executor: string, requires: readonly string[], mark?: string): string =>
  `${org_id}:${sha256([executor, ...requires, ...(mark === undefined ? [] : ['', mark])].join('\0')).slice(0, 32)}`;
