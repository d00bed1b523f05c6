/** What requests that svc sends may carry; the client itself is `kernel.Egress`. */
export { validateHeaders, SERVICE_HEADERS } from './contract/request-headers.ts';
/** Signatures of requests to AWS and S3. */
export { type AwsKeys, signHeaders } from './contract/sigv4.ts';
/** `Retry-After` of an answer. */
export { retryAfter } from './contract/retry-after.ts';
