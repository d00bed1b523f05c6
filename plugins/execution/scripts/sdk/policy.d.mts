import type { Duration } from './sdk.mjs';

/** How often something is tried that fails. */
export interface Retry {
  /** Of all attempts, the first one included: 1 to 100. */
  attempts: number;
  /** The pause after a failed attempt; none by default. From 5 s on no process lives meanwhile. */
  backoff?: Duration;
  /** With it each pause is twice as long as the previous one, up to this limit. */
  maxBackoff?: Duration;
}

export interface PolicyOptions {
  /** A number of attempts, or more. The last failure is the record; those before are kept beside it, on every pass. */
  retry?: number | Retry;
  /** Of each attempt. A command is ended with SIGTERM, then SIGKILL, with its process group; its exit code is 124. */
  timeout?: Duration;
}
