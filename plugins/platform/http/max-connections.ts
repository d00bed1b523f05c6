import { readFileSync } from 'node:fs';
import { Errors } from '../../../kernel/contracts/index.ts';

/** An idle connection costs some 10 KiB. */
const DEFAULT = 10_000;
const MIN = 16;
const MAX = 1_000_000;
/** The files that a process needs for everything else: databases, artifacts, programs, outbound requests. */
const OTHER_FILES = 512;

/** Reads `SVC_MAX_CONNECTIONS`. Throws `setting_invalid`. */
export function readMaxConnections(text: string | undefined): number {
  if (text === undefined || text === '') return DEFAULT;
  const count = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (count < MIN || count > MAX)
    throw Errors.settingInvalid(`SVC_MAX_CONNECTIONS is "${text}", but must be a whole number from ${MIN} to ${MAX}`);
  return count;
}

/** Returns how many files this process may have open; undefined where the system does not say. */
export function openFilesLimit(): number | undefined {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

/** Lowers the number of connections to the files available: each is an open file, and a process without any serves nobody. */
export function withinFiles(connections: number, files: number | undefined): number {
  if (files === undefined) return connections;
  return Math.min(connections, Math.max(files - OTHER_FILES, Math.floor(files / 2)));
}
