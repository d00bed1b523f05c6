import { stat } from 'node:fs/promises';
import { type Clock, type IterationResult, type Log, WorkLoop } from '../../../../kernel/contracts/index.ts';
import { formatProblem } from '../contract.ts';
import { manifestsAt } from './find-manifests.ts';
import type { LiveManifests, ReadFile } from './live-manifests.ts';
import { checkManifest, readManifest } from './read-manifests.ts';

/** How often the files are looked at. It also works for folders on a network, which report no changes. */
const SCAN_MS = 1000;

export interface FolderWatchDeps {
  paths: readonly string[];
  manifests: Pick<LiveManifests, 'update' | 'problems' | 'all' | 'connectors'>;
  clock: Clock;
  log: Log;
}

/**
 * Notices new, changed and removed manifests. A file is read once two scans have seen the same size and times, so that a
 * file that is still being written is not taken. A folder that cannot be read changes nothing.
 */
export class FolderWatch {
  readonly #deps: FolderWatchDeps;
  /** What the last scan saw of each file. */
  #seen = new Map<string, string>();
  /** What was read of each file, and what the scan saw of it then. */
  #read = new Map<string, { signature: string; content: ReadFile }>();
  /** Paths of which the last scan could not read the folder. */
  #unreadable = new Set<string>();

  constructor(deps: FolderWatchDeps) {
    this.#deps = deps;
  }

  /** Runs until the returned function is called, which resolves when the last scan has ended. */
  start(): () => Promise<void> {
    const { clock, log } = this.#deps;
    return new WorkLoop({
      clock,
      log,
      poll: { min_ms: SCAN_MS, max_ms: SCAN_MS },
      messages: { failing: 'looking for changed connectors failed; retrying', recovered: 'connectors are read again' },
      iterate: () => this.scan(),
    }).start();
  }

  async scan(): Promise<IterationResult> {
    const seen = new Map<string, string>();
    let processed = 0;
    for (const file of await this.#list()) {
      const signature = await signatureOf(file);
      if (signature === undefined) continue;
      seen.set(file, signature);
      if (this.#read.get(file)?.signature === signature || this.#seen.get(file) !== signature) continue;
      const content = await readManifest(file, checkManifest);
      if ((await signatureOf(file)) !== signature) continue;
      this.#read.set(file, { signature, content });
      processed += 1;
    }
    // A file that is being replaced can be missing for a moment, so only the second scan without it removes it.
    for (const file of this.#read.keys())
      if (!seen.has(file) && !this.#seen.has(file) && !this.#isUnreadable(file)) this.#read.delete(file);
    this.#seen = seen;
    this.#update();
    return { processed };
  }

  #update(): void {
    const { manifests, log } = this.#deps;
    const files = new Map<string, ReadFile>();
    for (const { origin } of manifests.connectors()) if (this.#isUnreadable(origin)) files.set(origin, 'unread');
    for (const file of this.#seen.keys()) files.set(file, 'unread');
    for (const [file, { content }] of this.#read) files.set(file, content);
    if (!manifests.update(files)) return;
    for (const { file, ...problem } of manifests.problems())
      log.warn(
        { file, problem: formatProblem(problem) },
        'a connector is invalid; its last valid version stays in use',
      );
    log.info({ connectors: manifests.all().length }, 'connectors have changed');
  }

  async #list(): Promise<Set<string>> {
    const files = new Set<string>();
    this.#unreadable = new Set();
    for (const path of this.#deps.paths) {
      const located = await manifestsAt(path).catch((error: NodeJS.ErrnoException) => ({ error: String(error.code) }));
      if ('error' in located) this.#unreadable.add(path);
      else for (const file of located.files) files.add(file);
    }
    return files;
  }

  /** A folder that is missing or full keeps its connectors. A removed file is one whose folder can be read. */
  #isUnreadable(file: string): boolean {
    return [...this.#unreadable].some((path) => file.startsWith(`${path}/`));
  }
}

async function signatureOf(file: string): Promise<string | undefined> {
  const stats = await stat(file, { bigint: true }).catch(() => undefined);
  return stats?.isFile() ? [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(':') : undefined;
}
