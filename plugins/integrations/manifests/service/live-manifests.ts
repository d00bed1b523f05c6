import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type {
  Connector,
  ConnectorCheck,
  ConnectorManifest,
  ConnectorManifests,
  FileProblem,
  ManifestProblem,
} from '../contract.ts';
import { nameTaken } from './read-manifests.ts';

/** What a file contained when it was last read. An unread file is new, or is in a folder that cannot be read now. */
export type ReadFile = { manifest: ConnectorManifest } | { problems: readonly ManifestProblem[] } | 'unread';

/** The connectors of this process: those of the start, and what has become of their files since. */
export class LiveManifests implements ConnectorManifests {
  readonly #checks: () => readonly ConnectorCheck[];
  #connectors: readonly Connector[] = [];
  #manifests: readonly ConnectorManifest[] = [];
  #byName: ReadonlyMap<string, Connector> = new Map();
  #problems: readonly FileProblem[] = [];

  constructor(started: readonly Connector[], checks: () => readonly ConnectorCheck[]) {
    this.#checks = checks;
    this.#store(started);
  }

  find(name: string): ConnectorManifest | undefined {
    return this.#byName.get(name)?.manifest;
  }

  all(): readonly ConnectorManifest[] {
    return this.#manifests;
  }

  connectors(): readonly Connector[] {
    return this.#connectors;
  }

  problems(): readonly FileProblem[] {
    return this.#problems;
  }

  /**
   * Takes over what the files contain now, and returns whether anything changed. A file that is invalid keeps its last
   * valid version; a missing file removes its connector. The first file that has a name keeps it.
   */
  update(files: ReadonlyMap<string, ReadFile>): boolean {
    const fixed = this.#connectors.filter(({ watched }) => !watched);
    const by_name = new Map(fixed.map((one) => [one.manifest.name, one]));
    const problems: FileProblem[] = [];
    const holders = new Map(this.#connectors.filter(({ watched }) => watched).map((one) => [one.origin, one]));
    // Files that already have a connector come first, so that a copy cannot take over the name of the original.
    const ordered = [...files].toSorted(([a], [b]) => Number(holders.has(b)) - Number(holders.has(a)));
    for (const [file, read] of ordered) {
      const current = holders.get(file);
      const next = this.#check(file, read, current, by_name);
      problems.push(...next.problems.map((problem) => ({ file: displayName(file), ...problem })));
      if (next.connector) by_name.set(next.connector.manifest.name, next.connector);
    }
    const sorted = [...by_name.values()].toSorted((a, b) => (a.manifest.name < b.manifest.name ? -1 : 1));
    const is_same = sorted.length === this.#connectors.length && sorted.every((one, i) => one === this.#connectors[i]);
    const is_changed = !is_same || !isDeepStrictEqual(problems, this.#problems);
    this.#problems = problems;
    if (!is_same) this.#store(sorted);
    return is_changed;
  }

  #check(
    file: string,
    read: ReadFile,
    current: Connector | undefined,
    by_name: ReadonlyMap<string, Connector>,
  ): { connector?: Connector | undefined; problems: readonly ManifestProblem[] } {
    const fallback = current !== undefined && !by_name.has(current.manifest.name) ? current : undefined;
    if (read === 'unread') return { connector: fallback, problems: [] };
    if ('problems' in read) return { connector: fallback, problems: read.problems };
    const { manifest } = read;
    if (fallback !== undefined && isDeepStrictEqual(fallback.manifest, manifest))
      return { connector: fallback, problems: [] };
    const other = by_name.get(manifest.name);
    if (other !== undefined)
      return {
        connector: fallback,
        problems: [
          nameTaken(manifest.name, other.watched ? displayName(other.origin) : 'a connector of svc or of a plugin'),
        ],
      };
    const connector: Connector = { manifest, origin: file, watched: true };
    const problems = this.#checks().flatMap((one) => one.check(connector, this.#byName.get(manifest.name)));
    return problems.length > 0 ? { connector: fallback, problems } : { connector, problems };
  }

  #store(connectors: readonly Connector[]): void {
    this.#connectors = connectors.toSorted((a, b) => (a.manifest.name < b.manifest.name ? -1 : 1));
    this.#manifests = this.#connectors.map((one) => one.manifest);
    this.#byName = new Map(this.#connectors.map((one) => [one.manifest.name, one]));
  }
}

/** The file as its folder names it: where the folder is on the server concerns only who runs the server. */
export const displayName = (file: string): string => join(basename(dirname(file)), basename(file));
