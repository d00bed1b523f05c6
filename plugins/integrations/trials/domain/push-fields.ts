import type { Json } from '../../../engine/runs/contract.ts';
import { invalid, isObject, type JsonObject, optionalText } from './values.ts';

const TEXTS = ['forge', 'repo', 'ref', 'sha', 'sender'] as const;

type PushFields = JsonObject & { repo?: string };

/** The fields of a push, which also its payload has: those that the file leaves out there. Throws `invalid_request`. */
export function pushFields(fields: JsonObject, payload: Json | undefined): PushFields {
  const inner = isObject(payload) ? payload : {};
  const all: JsonObject = { ...fields };
  for (const name of [...TEXTS, 'paths', 'paths_known']) if (inner[name] !== undefined) all[name] ??= inner[name];
  for (const name of TEXTS) optionalText(name, all[name]);
  const { paths = [], paths_known = all.paths !== undefined } = all;
  if (!Array.isArray(paths) || !paths.every((path) => typeof path === 'string'))
    throw invalid('/paths', 'must be a list of strings');
  if (typeof paths_known !== 'boolean') throw invalid('/paths_known', 'must be true or false');
  return { ...all, paths: [...new Set(paths)].sort(), paths_known } as PushFields;
}
