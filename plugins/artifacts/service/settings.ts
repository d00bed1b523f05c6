import { dirname, join, resolve } from 'node:path';
import { Errors, type Settings, shownAddress } from '../../../kernel/contracts/index.ts';
import type { S3Place } from '../stores/s3.ts';

type Given = Pick<Settings, 'env' | 'database_url' | 'home'>;

/** `sqlite:` and a path; anything else has no folder. */
const FILE = /^sqlite:(?!:memory:)(.+)$/;
const BUCKET = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+)*))?\/?$/;
const REGION = /^[a-z0-9-]{1,64}$/;
const DEFAULT_REGION = 'us-east-1';

export interface ArtifactPlace {
  /** Where new artifacts go when there is no bucket, and where older ones may be. */
  folder: string;
  bucket: S3Place | undefined;
}

/**
 * `SVC_ARTIFACTS`: a folder, or `s3://<bucket>[/<prefix>]`. Default: the folder `artifacts` beside the SQLite file, or in
 * that of this process. Throws `setting_invalid`; no message holds a key.
 */
export function readPlace(settings: Given): ArtifactPlace {
  const given = settings.env.SVC_ARTIFACTS?.trim() ?? '';
  const bucket = given.startsWith('s3:') ? readBucket(given, settings.env) : undefined;
  return { folder: given === '' || bucket ? defaultFolder(settings) : resolve(given), bucket };
}

function defaultFolder({ database_url, home }: Given): string {
  const [, file] = FILE.exec(database_url) ?? [];
  return join(file === undefined ? (home ?? '.svc') : dirname(resolve(file)), 'artifacts');
}

function readBucket(given: string, env: Settings['env']): S3Place {
  const [, bucket, prefix] = BUCKET.exec(given) ?? [];
  // A URL would take these for steps up.
  if (bucket === undefined || prefix?.split('/').some((name) => name === '.' || name === '..'))
    throw Errors.settingInvalid(
      `SVC_ARTIFACTS is "${shownAddress(given)}"; write s3://<bucket> or s3://<bucket>/<prefix>, without keys in it`,
    );
  const region = env.SVC_ARTIFACTS_S3_REGION?.trim() || DEFAULT_REGION;
  if (!REGION.test(region))
    throw Errors.settingInvalid(`SVC_ARTIFACTS_S3_REGION is "${region}"; write one like eu-central-1`);
  return {
    bucket,
    region,
    prefix: prefix === undefined ? '' : `${prefix}/`,
    endpoint: readEndpoint(env.SVC_ARTIFACTS_S3_ENDPOINT?.trim() || `https://s3.${region}.amazonaws.com`),
    keys: {
      access_key_id: needed(env, 'SVC_ARTIFACTS_S3_ACCESS_KEY_ID'),
      secret_access_key: needed(env, 'SVC_ARTIFACTS_S3_SECRET_ACCESS_KEY'),
    },
  };
}

function readEndpoint(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain = url && url.username === '' && url.search === '' && url.hash === '' && url.pathname === '/';
  if (plain && /^https?:$/.test(url.protocol)) return url.origin;
  throw Errors.settingInvalid(
    'SVC_ARTIFACTS_S3_ENDPOINT is not the address of a server; write it like https://minio.example.org:9000',
  );
}

function needed(env: Settings['env'], name: string): string {
  const value = env[name]?.trim() ?? '';
  if (/^[\x21-\x7e]+$/.test(value)) return value;
  throw Errors.settingInvalid(
    `${name} is not set, or holds characters that a key cannot have; SVC_ARTIFACTS names a bucket`,
  );
}
