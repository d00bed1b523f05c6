import { hash } from 'node:crypto';
import { defineError, extensionPoint, token } from '../../../../kernel/contracts/index.ts';
import type { IncludedFile } from '../generated/workflow.ts';

export type { IncludedFile };

/** Of all files beside one script. */
export const MAX_INCLUDED_BYTES = 8 * 1024 * 1024;
export const MAX_INCLUDED_FILES = 1000;

export const includeTooLarge = defineError({
  code: 'include_too_large',
  status: 413,
  title: 'There are too many included files, or they are too large.',
  next: 'Include fewer files: name single files instead of a folder. Fetch large data in a step, or keep it as an artifact.',
});

/** Bytes of a path, and of one of its names: what file systems take. */
const PATH_BYTES = 512;
const NAME_BYTES = 255;
/** Of names that people see: no control characters, and none that change the direction of a line. */
const UNSEEN = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** Why a text cannot be the path of a file beside a script; undefined when it can. */
export function includedPathFault(path: string): string | undefined {
  if (path === '') return 'is empty';
  if (!path.isWellFormed()) return 'is not Unicode text';
  if (UNSEEN.test(path)) return 'contains a control character';
  if (path.includes('\\')) return 'contains a backslash; write / between names';
  if (path.startsWith('/')) return 'is absolute; it must be relative to the folder of the script';
  if (Buffer.byteLength(path) > PATH_BYTES) return `has more than ${PATH_BYTES} bytes`;
  for (const name of path.split('/')) {
    if (name === '') return 'contains an empty name (two slashes, or one at the end)';
    if (name === '.' || name === '..') return `contains the name "${name}"; it must be below the folder of the script`;
    if (Buffer.byteLength(name) > NAME_BYTES) return `contains a name of more than ${NAME_BYTES} bytes`;
  }
  return undefined;
}

/** The largest files first, for people: `data/a.csv 5242880, …`. */
export const largestOf = (files: readonly Pick<IncludedFile, 'path' | 'size'>[], count = 5): string =>
  files
    .toSorted((a, b) => b.size - a.size)
    .slice(0, count)
    .map(({ path, size }) => `${path} (${size} bytes)`)
    .join(', ');

/** Identifies the contents of files within their project; undefined when there are none. 64 hexadecimal digits. */
export function fileSetOf(files: readonly Pick<IncludedFile, 'digest'>[] = []): string | undefined {
  const digests = [...new Set(files.map(({ digest }) => digest))].sort();
  return digests.length === 0 ? undefined : hash('sha256', digests.join('\n'), 'hex');
}

/** Says which sets of contents are needed: those of runs, and of what starts runs later. */
export interface FileHolder {
  name: string;
  /** Some of these sets of a project, those that it needs. */
  holding(project_id: string, sets: readonly string[]): Promise<readonly string[]>;
  /** Named documents that people set, whose files members can read again. */
  documents?: {
    /** As in paths: `handlers`. */
    kind: string;
    /** The set of one document; undefined: none, or there is no such document. */
    setOf(project_id: string, name: string): Promise<string | undefined>;
  };
}

export const FileHolders = extensionPoint<FileHolder>('runs.FileHolders', { key: ({ name }) => name });

/** The files of runs. */
export interface RunFiles {
  /** The set of contents that a run has; undefined: none, or there is no such run. */
  setOf(run: { project_id: string; run_id: string }): Promise<string | undefined>;
}

export const RunFiles = token<RunFiles>('runs.RunFiles');
