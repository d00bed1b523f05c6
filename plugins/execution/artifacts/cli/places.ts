import type { Client } from '../../../../cli/contract.ts';

const escaped = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

const placed = (client: Client, kind: string, run_id: string, path: string): string =>
  client.scoped(`/runs/${encodeURIComponent(run_id)}/${kind}/${escaped(path)}`);

/** The path at which an artifact is read and written. */
export const artifactPath = (client: Client, run_id: string, path: string): string =>
  placed(client, 'artifacts', run_id, path);

/** The path at which the state of its upload is read. */
export const uploadPath = (client: Client, run_id: string, path: string): string =>
  placed(client, 'artifact-uploads', run_id, path);
