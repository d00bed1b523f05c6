import { dirname, join, resolve } from 'node:path';
import { Errors, type Settings, redactAddress } from '../../../../kernel/contracts/index.ts';
import type { S3Location } from '../stores/s3.ts';

type ArtifactSettings = Pick<Settings, 'env' | 'database_url' | 'home'>;

/** `sqlite:` with a path; other databases have no folder. */
const FILE = /^sqlite:(?!:memory:)(.+)$/;
const BUCKET = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+)*))?\/?$/;
const REGION = /^[a-z0-9-]{1,64}$/;
const DEFAULT_REGION = 'us-east-1';

export interface ArtifactLocation {
  /** Where new artifacts go without a bucket, and where older ones may be. */
  folder: string;
  bucket: S3Location | undefined;
}

/**
 * Parses `SVC_ARTIFACTS`: a folder, or `s3://<bucket>[/<prefix>]`. The default is the folder `artifacts` next to the
 * SQLite file, or in the folder of this process. Throws `setting_invalid`; no message contains a key.
 */
export function parseLocation(settings: ArtifactSettings): ArtifactLocation {
  const text = settings.env.SVC_ARTIFACTS?.trim() ?? '';
  const bucket = text.startsWith('s3:') ? parseBucket(text, settings.env) : undefined;
  return { folder: text === '' || bucket ? defaultFolder(settings) : resolve(text), bucket };
}

function defaultFolder({ database_url, home }: ArtifactSettings): string {
  const [, file] = FILE.exec(database_url) ?? [];
  return join(file === undefined ? (home ?? '.svc') : dirname(resolve(file)), 'artifacts');
}

function parseBucket(text: string, env: Settings['env']): S3Location {
  const [, bucket, prefix] = BUCKET.exec(text) ?? [];
  // A URL would treat these as steps up.
  if (bucket === undefined || prefix?.split('/').some((name) => name === '.' || name === '..'))
    throw Errors.settingInvalid(
      `SVC_ARTIFACTS is "${redactAddress(text)}"; write s3://<bucket> or s3://<bucket>/<prefix>, without keys in it`,
    );
  const region = env.SVC_ARTIFACTS_S3_REGION?.trim() || DEFAULT_REGION;
  if (!REGION.test(region))
    throw Errors.settingInvalid(`SVC_ARTIFACTS_S3_REGION is "${region}"; write one like eu-central-1`);
  return {
    bucket,
    region,
    prefix: prefix === undefined ? '' : `${prefix}/`,
    endpoint: parseEndpoint(env.SVC_ARTIFACTS_S3_ENDPOINT?.trim() || `https://s3.${region}.amazonaws.com`),
    keys: {
      access_key_id: requireSetting(env, 'SVC_ARTIFACTS_S3_ACCESS_KEY_ID'),
      secret_access_key: requireSetting(env, 'SVC_ARTIFACTS_S3_SECRET_ACCESS_KEY'),
    },
  };
}

function parseEndpoint(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const is_origin = url && url.username === '' && url.search === '' && url.hash === '' && url.pathname === '/';
  if (is_origin && /^https?:$/.test(url.protocol)) return url.origin;
  throw Errors.settingInvalid(
    'SVC_ARTIFACTS_S3_ENDPOINT is not the address of a server; write it like https://minio.example.org:9000',
  );
}

function requireSetting(env: Settings['env'], name: string): string {
  const value = env[name]?.trim() ?? '';
  if (/^[\x21-\x7e]+$/.test(value)) return value;
  throw Errors.settingInvalid(
    `${name} is not set, or contains invalid characters; it is required because SVC_ARTIFACTS is a bucket`,
  );
}
