import { defineError } from '../../../kernel/contracts/index.ts';

export const ArtifactErrors = {
  digestMismatch: defineError({
    code: 'artifact_digest_mismatch',
    status: 422,
    title: 'The content does not match the digest that was sent with it.',
    next: 'Nothing was stored. Send the whole file again; if it is still being written, wait until it is complete.',
  }),
  offsetWrong: defineError({
    code: 'artifact_offset_wrong',
    status: 409,
    title: 'The upload does not continue where the stored part ends.',
    next: 'Continue at the byte given by `offset`, with `Content-Range: bytes <offset>-<last>/<size>`.',
  }),
  uploadTaken: defineError({
    code: 'artifact_upload_taken',
    status: 409,
    title: 'Another request has taken over this upload, or it was abandoned.',
    next: "Request the upload's offset and continue there; if there is no upload, send the whole file.",
  }),
  cacheTooLarge: defineError({
    code: 'cache_too_large',
    status: 409,
    title: "The cache is larger than the project's limit for all caches together.",
    next: 'Cache fewer files. An operator can change `cache` in SVC_PROJECT_LIMITS and SVC_UNTRUSTED_PROJECT_LIMITS.',
  }),
  storeFull: defineError({
    code: 'artifact_store_full',
    status: 507,
    title: 'There is no space left for artifacts.',
    next: 'Nothing was stored. Ask the operator for more space; `svc artifact rm` and SVC_RETENTION remove old artifacts.',
  }),
  storeUnavailable: defineError({
    code: 'artifact_store_unavailable',
    status: 503,
    title: 'The artifact store does not respond, or this server cannot reach it.',
    next: 'Try again later. Operators: all servers need the same folder or bucket (SVC_ARTIFACTS).',
  }),
  full: defineError({
    code: 'artifacts_full',
    status: 409,
    title: 'The run has reached the limit for artifacts.',
    next: 'Store many small files as one archive, or remove artifacts with `svc artifact rm`.',
  }),
  quotaExceeded: defineError({
    code: 'artifact_quota_exceeded',
    status: 409,
    title: 'The run, or its project, has reached its limit for artifact bytes.',
    next: 'Store less, or remove artifacts with `svc artifact rm`. If `leaving_bytes` takes up the space, try again after 15 minutes. An operator can raise `artifacts` in SVC_RUN_LIMITS, in SVC_PROJECT_LIMITS, or in the limits for untrusted runs.',
  }),
  rangeNotSatisfiable: defineError({
    code: 'artifact_range_invalid',
    status: 416,
    title: 'The range is not within the artifact.',
    next: 'Send a `Range` that starts before `size`, or no `Range`.',
  }),
} as const;
