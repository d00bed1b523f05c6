import { JSON_LIMITS, measureJson } from '../../../platform/schema/contract.ts';

/** Versions of the service's own documents: `svc-graph/v1`. The word is how messages call such a document. */
const OWN_VERSION = /^svc-([a-z]+)\/v\d+$/;
const OWN_VERSION_NAMED = /"version"\s*:\s*"(svc-[a-z]+\/v\d+)"/;
/** The service's own languages that are recognised by the file ending alone. */
const OWN_ENDINGS: Readonly<Record<string, string>> = { '.yml': 'pipeline', '.yaml': 'pipeline' };

/** The member `version` of a JSON object; undefined for everything else. */
export function versionOf(source: string): string | undefined {
  // Avoids parsing programs without need.
  if (!source.trimStart().startsWith('{') || !source.includes('"version"')) return undefined;
  const raw = Buffer.from(source);
  // What would take long to parse is no valid document either, and must not be taken for a program.
  if (measureJson(raw, JSON_LIMITS).exceeded !== undefined) return OWN_VERSION_NAMED.exec(source)?.[1];
  try {
    const { version } = JSON.parse(source) as { version?: unknown };
    return typeof version === 'string' ? version : undefined;
  } catch {
    // Not JSON: a program may begin with a brace too.
    return undefined;
  }
}

export const endingOf = (filename: string | undefined): string | undefined =>
  /\.[^./\\]+$/.exec(filename ?? '')?.[0].toLowerCase();

/**
 * What a document of the service's own languages is called; undefined when it may be a program. Such a document is
 * never run as a program, whose shell would execute its lines, even when no plugin brings its kind.
 */
export const ofTheService = (version: string | undefined, ending: string | undefined): string | undefined =>
  OWN_VERSION.exec(version ?? '')?.[1] ?? (ending === undefined ? undefined : OWN_ENDINGS[ending]);
