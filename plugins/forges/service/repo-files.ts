import { Errors, type Queries } from '../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../resources/contract.ts';
import { pathFault, type RepoFile } from '../contract.ts';
import type { Forge } from '../domain/forge.ts';
import { checkApiBase } from '../domain/webhook-rules.ts';
import { webhookOf } from '../store/webhooks.ts';
import type { Forges } from './forges.ts';

/** The request that reads a file; its answer is the file. */
export interface FileRequest {
  method: 'GET';
  url: string;
  headers: { [name: string]: string };
}

/** Makes the request without its credential. Reads only through `on`. Throws `invalid_request`. */
export type RequestOfFile = (on: Pick<Queries, 'read'>, scope: ProjectScope, file: RepoFile) => Promise<FileRequest>;

const invalid = (pointer: string, message: string) =>
  Errors.invalidRequest(`${pointer.slice(1)} ${message}`, { errors: [{ pointer, message }] });

export const requestOfFile =
  (forges: Forges): RequestOfFile =>
  async (on, scope, file) => {
    const repo = segments('/repo', file.repo);
    const path = segments('/path', file.path);
    const { forge, api_base } = await placeOf(forges, on, scope, file);
    const { api } = forge.section;
    if (!api?.file) throw invalid('/forge', `${forge.name} has no API for files of repositories`);
    const base = api_base ?? api.base;
    if (base === undefined) throw invalid('/api_base', `is required, because ${forge.name} has no default host`);
    const ref = file.ref === undefined ? '' : api.file.ref.replace('{ref}', () => encodeURIComponent(file.ref!));
    const at = api.file.path.replace('{repo}', () => repo).replace('{path}', () => path);
    return { method: 'GET', url: `${base}${at}${ref}`, headers: { ...api.headers, ...api.file.headers } };
  };

/** Encodes a path. Throws `invalid_request` for one that leaves its folder. */
function segments(pointer: string, path: string): string {
  const fault = pathFault(path);
  if (fault !== undefined) throw invalid(pointer, fault);
  return path.replace(/^\/+/, '').split('/').map(encodeURIComponent).join('/');
}

async function placeOf(
  forges: Forges,
  on: Pick<Queries, 'read'>,
  scope: ProjectScope,
  { repo, forge, api_base: given }: RepoFile,
): Promise<{ forge: Forge; api_base: string | undefined }> {
  const api_base = given === undefined ? undefined : checkApiBase(given);
  if (forge !== undefined) return { forge: forges.get(forge), api_base };
  const known = await webhookOf(on, scope, repo);
  if (known) return { forge: forges.get(known.forge), api_base: api_base ?? known.api_base ?? undefined };
  const usual = forges.usual();
  if (usual) return { forge: usual, api_base };
  throw invalid('/forge', `is required, because the project has no webhook for ${repo}`);
}
