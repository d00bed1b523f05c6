import { readFile } from 'node:fs/promises';
import { isServiceError } from '../../../kernel/contracts/index.ts';
import { parseJson } from '../../schema/contract.ts';
import type { Connector, ConnectorManifest, FileFault, ManifestFault, ReadManifests } from '../contract.ts';
import { manifestFaults } from '../domain/check-manifest.ts';
import { manifestsAt } from './find-manifests.ts';

/** Bounds memory: each manifest is kept in memory. */
const MAX_BYTES = 1024 * 1024;

/**
 * Reads the manifests of files and folders, and finds every fault of every file. Of the files at `known` only that they are
 * JSON: the tests of svc check its own, and to do it at each start would take a twentieth of that.
 */
export async function readManifests(places: readonly string[], known?: string): Promise<ReadManifests> {
  const [connectors, faults]: [Connector[], FileFault[]] = [[], []];
  const origins = new Map<string, string>();
  for (const place of places) {
    const found = await manifestsAt(place);
    if ('fault' in found)
      faults.push({ file: place, pointer: '', rule: 'not_found', message: found.fault, fix: 'correct the path' });
    for (const file of 'files' in found ? found.files : []) {
      const read = await readManifest(file, place === known ? trusted : checkedManifest);
      if ('faults' in read) {
        faults.push(...read.faults.map((fault) => ({ file, ...fault })));
        continue;
      }
      const { manifest } = read;
      const other = origins.get(manifest.name);
      if (other !== undefined) faults.push({ file, ...taken(manifest.name, other) });
      origins.set(manifest.name, file);
      connectors.push({ manifest, origin: file });
    }
  }
  return { connectors, faults };
}

export function checkedManifest(document: unknown): { manifest: ConnectorManifest } | { faults: ManifestFault[] } {
  const faults = manifestFaults(document);
  return faults.length > 0 ? { faults } : { manifest: document as ConnectorManifest };
}

const trusted = (document: unknown) => ({ manifest: document as ConnectorManifest });

async function readManifest(
  file: string,
  check: typeof checkedManifest,
): Promise<{ manifest: ConnectorManifest } | { faults: ManifestFault[] }> {
  const fault = (rule: string, message: string, fix: string) => ({ faults: [{ pointer: '', rule, message, fix }] });
  try {
    const raw = await readFile(file);
    if (raw.length > MAX_BYTES) return fault('too_large', `has more than ${MAX_BYTES} bytes`, 'make it smaller');
    return check(parseJson(raw));
  } catch (error) {
    const message = isServiceError(error) ? error.message.replace(/^the body /, '') : (error as Error).message;
    return fault('json', message, 'a manifest is one JSON object in UTF-8');
  }
}

const taken = (name: string, other: string): ManifestFault => ({
  pointer: '/name',
  rule: 'name_taken',
  message: `${name} is also the name of ${other}`,
  fix: 'give the connector another name; its node types begin with it',
});
