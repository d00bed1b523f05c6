import { readFile } from 'node:fs/promises';
import { isServiceError } from '../../../kernel/contracts/index.ts';
import { parseJson } from '../../schema/contract.ts';
import type { ConnectorManifest, ConnectorManifests } from '../contract.ts';
import { manifestFaults } from '../domain/check-manifest.ts';
import { ManifestErrors } from '../contract/errors.ts';
import { locate, manifestsAt } from './find-manifests.ts';

/** Bounds memory: each manifest is kept in memory. */
const MAX_BYTES = 1024 * 1024;

/** The manifests of this process. They are read once at start and never change. */
export class ManifestCatalog implements ConnectorManifests {
  readonly #byName = new Map<string, ConnectorManifest>();

  find(name: string): ConnectorManifest | undefined {
    return this.#byName.get(name);
  }

  all(): readonly ConnectorManifest[] {
    return [...this.#byName.values()];
  }

  /** Reads `home` and what SVC_CONNECTORS names. Throws `connector_invalid` with every fault of every file. */
  async load(home: string, extra: readonly string[]): Promise<void> {
    const faults: string[] = [];
    const origins = new Map<string, string>();
    const read: ConnectorManifest[] = [];
    for (const place of [home, ...(await Promise.all(extra.map(locate)))]) {
      const found = await manifestsAt(place);
      if ('fault' in found) faults.push(found.fault);
      for (const file of 'files' in found ? found.files : []) {
        const manifest = await this.#read(file, faults);
        if (manifest === undefined) continue;
        const other = origins.get(manifest.name);
        if (other !== undefined) faults.push(`${file}: /name: ${manifest.name} is also the name of ${other}`);
        origins.set(manifest.name, file);
        read.push(manifest);
      }
    }
    if (faults.length > 0) throw ManifestErrors.connectorInvalid(faults.join('\n'));
    for (const manifest of read.sort((a, b) => (a.name < b.name ? -1 : 1))) this.#byName.set(manifest.name, manifest);
  }

  async #read(file: string, faults: string[]): Promise<ConnectorManifest | undefined> {
    try {
      const raw = await readFile(file);
      if (raw.length > MAX_BYTES) throw ManifestErrors.connectorInvalid(`has more than ${MAX_BYTES} bytes`);
      const document = parseJson(raw);
      const found = manifestFaults(document);
      faults.push(...found.map(({ pointer, message }) => `${file}: ${pointer || '(whole document)'}: ${message}`));
      return found.length === 0 ? (document as ConnectorManifest) : undefined;
    } catch (error) {
      const message = isServiceError(error) ? error.message.replace(/^the body /, '') : (error as Error).message;
      faults.push(`${file}: ${message}`);
      return undefined;
    }
  }
}
