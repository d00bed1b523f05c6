/** Types that the service itself emits, listed in the catalog. Forges may emit further `forge.<event>` types. */
export const PLATFORM_TYPES: readonly string[] = [
  'forge.issue_comment',
  'forge.issues',
  'forge.ping',
  'forge.pull_request',
  'forge.pull_request_review',
  'forge.pull_request_review_comment',
  'forge.release',
  'manual',
  'push',
  'run.cancelled',
  'run.failed',
  'run.started',
  'run.succeeded',
  'schedule.tick',
  'spawn',
  'svc.account.disabled',
  'svc.account.expiring',
  'svc.account.in_doubt',
  'svc.account.needs_reauth',
];

/** True for types that the service emits by itself or on behalf of a forge. */
export const isPlatform = (type: string): boolean => PLATFORM_TYPES.includes(type) || type.startsWith('forge.');
