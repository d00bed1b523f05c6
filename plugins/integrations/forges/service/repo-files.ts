import { Errors, type Queries } from '../../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../../platform/resources/contract.ts';
import { validatePath, type RepoFile } from '../contract.ts';
import type { Forge } from '../domain/forge.ts';
import { checkApiBase } from '../domain/webhook-rules.ts';
import { findByRepo } from '../store/webhooks.ts';
import type { Forges } from './forges.ts';

/** The request that reads a file; its response is the file. */
export interface FileRequest {
  method: 'GET';
  url: string;
  headers: { [name: string]: string };
}

/** Builds the request without its credential. Reads only through `on`. Throws `invalid_request`. */
export type CreateFileRequest = (
  on: Pick<Queries, 'read'>,
  scope: ProjectScope,
  file: RepoFile,
) => Promise<FileRequest>;

const invalid = (pointer: string, message: string) =>
  Errors.invalidRequest(`${pointer.slice(1)} ${message}`, { errors: [{ pointer, message }] });

export const createFileRequest =
  (forges: Forges): CreateFileRequest =>
  async (on, scope, file) => {
    const repo = encodePath('/repo', file.repo);
    const path = encodePath('/path', file.path);
    const { forge, api_base } = await resolveApi(forges, on, scope, file);
    const { api } = forge.section;
    if (!api?.file) throw invalid('/forge', `${forge.name} has no API for repository files`);
    const base = api_base ?? api.base;
    if (base === undefined) throw invalid('/api_base', `is required, because ${forge.name} has no default host`);
    const ref = file.ref === undefined ? '' : api.file.ref.replace('{ref}', () => encodeURIComponent(file.ref!));
    const at = api.file.path.replace('{repo}', () => repo).replace('{path}', () => path);
    return { method: 'GET', url: `${base}${at}${ref}`, headers: { ...api.headers, ...api.file.headers } };
  };

/** Encodes a path. Throws `invalid_request` for a path that leaves its folder. */
function encodePath(pointer: string, path: string): string {
  const error = validatePath(path);
  if (error !== undefined) throw invalid(pointer, error);
  return path.replace(/^\/+/, '').split('/').map(encodeURIComponent).join('/');
}

async function resolveApi(
  forges: Forges,
  on: Pick<Queries, 'read'>,
  scope: ProjectScope,
  { repo, forge, api_base: requested_base }: RepoFile,
): Promise<{ forge: Forge; api_base: string | undefined }> {
  const api_base = requested_base === undefined ? undefined : checkApiBase(requested_base);
  if (forge !== undefined) return { forge: forges.get(forge), api_base };
  const webhook = await findByRepo(on, scope, repo);
  if (webhook) return { forge: forges.get(webhook.forge), api_base: api_base ?? webhook.api_base ?? undefined };
  const usual = forges.findDefault();
  if (usual) return { forge: usual, api_base };
  throw invalid('/forge', `is required, because the project has no webhook for ${repo}`);
}
