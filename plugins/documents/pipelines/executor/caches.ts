import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { join } from 'node:path';
import { isServiceError } from '../../../../kernel/contracts/index.ts';
import type { DiskView } from '../../../execution/scripts/contract.ts';
import type { CacheSpec } from '../domain/job-spec.ts';
import { type Evaluate, fillTemplates, toText } from '../domain/templates.ts';
import { callVerb, type JobVerbDeps } from './artifacts.ts';
import { CACHE_RESTORE, CACHE_SAVE } from './step-verbs.ts';

/** Bytes of the files whose content becomes part of a key; the rest is not read. */
const MAX_HASHED_BYTES = 64 * 1024 * 1024;
const HASH_CHARACTERS = 32;

/** The caches of a job while it runs. */
export class JobCaches {
  readonly #deps: JobVerbDeps;
  readonly #caches: readonly CacheSpec[];
  readonly #log: (text: string) => void;
  /** What to save after the steps, as it was when the job began: the steps may change the files of a key. */
  #unsaved: { key: string; paths: readonly string[] }[] = [];

  constructor(deps: JobVerbDeps, caches: readonly CacheSpec[], log: (text: string) => void) {
    this.#deps = deps;
    this.#caches = caches;
    this.#log = log;
  }

  /** Restores the caches before the first step. A cache that cannot be restored fails nothing. */
  async restore(evaluate: Evaluate): Promise<void> {
    const { place, workspace } = this.#deps;
    for (const spec of this.#caches) {
      const { key: text, files, paths, restore_keys } = fillTemplates(spec, evaluate) as CacheSpec;
      const hash = await hashFiles(place.disk_view, workspace, files.map(toText)).catch((error: Error) => {
        this.#log(`the files of the key ${toText(text)} cannot be read: ${error.message}`);
      });
      if (hash === undefined) continue;
      const key = hash === '' ? toText(text) : `${toText(text)}-${hash}`;
      const others = restore_keys.map(toText).flatMap((prefix) => ['--or', prefix]);
      const restored = await this.#call(CACHE_RESTORE, [...others, '--', key]);
      if (restored !== key) this.#unsaved.push({ key, paths: paths.map(toText) });
    }
  }

  /** Saves the caches whose key did not exist, after the steps have succeeded. A cache that cannot be saved fails nothing. */
  async save(): Promise<void> {
    for (const { key, paths } of this.#unsaved) await this.#call(CACHE_SAVE, ['--', key, ...paths]);
  }

  /** Calls a verb and logs what it did. Returns what it printed. */
  async #call(verb: string, argv: readonly string[]): Promise<string> {
    try {
      const outcome = await callVerb(this.#deps, verb, argv);
      this.#log(outcome ? (outcome.message ?? 'no cache to restore') : 'this agent has no caches');
      return outcome?.stdout?.toString().trimEnd() ?? '';
    } catch (error) {
      if (!isServiceError(error) || error.status >= 500 || error.code === 'lease_lost') throw error;
      this.#log(`svc ${verb}: ${error.message}`);
      return '';
    }
  }
}

/** Hashes the contents of files; empty without any. A missing file and a link count as such, without their content. */
async function hashFiles(disk: DiskView, workspace: string, paths: readonly string[]): Promise<string> {
  if (paths.length === 0) return '';
  const hash = createHash('sha256');
  let remaining = MAX_HASHED_BYTES;
  for (const path of paths) {
    hash.update(`${path}\0`);
    const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
    const file = await disk.open(join(workspace, path), flags).catch(() => undefined);
    if (!file || remaining <= 0) {
      await file?.close();
      continue;
    }
    try {
      const stats = await file.stat();
      if (!stats.isFile()) continue;
      hash.update(`${stats.size}\0`);
      for await (const chunk of file.createReadStream({ autoClose: false, end: remaining - 1 })) {
        hash.update(chunk as Buffer);
        remaining -= (chunk as Buffer).length;
      }
    } finally {
      await file.close();
    }
  }
  return hash.digest('hex').slice(0, HASH_CHARACTERS);
}
