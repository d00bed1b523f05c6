/** What other plugins may know of the engine; the pieces lie in contract/. */
export * from './contract/activities.ts';
export * from './contract/admission.ts';
export { describeApprovers } from './contract/approver-names.ts';
export * from './contract/approver.ts';
export * from './contract/attempts.ts';
export * from './contract/cancellation.ts';
export * from './contract/capabilities.ts';
export * from './contract/chain.ts';
export * from './contract/concurrency.ts';
export * from './contract/coordination.ts';
export * from './contract/credentials.ts';
export * from './contract/document-check.ts';
export * from './contract/engine.ts';
export * from './contract/environment.ts';
export * from './contract/errors.ts';
export * from './contract/extension.ts';
export * from './contract/feed.ts';
export * from './contract/files.ts';
export * from './contract/guard.ts';
export * from './contract/idempotency-key.ts';
export { acceptFindings, acceptInput, checkInput, type InputFindings, inputsOf } from './contract/input-schema.ts';
export * from './contract/instant.ts';
export * from './contract/isolation.ts';
export * from './contract/journal.ts';
export { keyHeader } from './contract/key-header.ts';
export * from './contract/limits.ts';
export * from './contract/losses.ts';
export * from './contract/node-spans.ts';
export { type OriginFilter, parseOrigin } from './contract/origin-filter.ts';
export * from './contract/origins.ts';
export * from './contract/outline.ts';
export * from './contract/pause.ts';
export * from './contract/record.ts';
export * from './contract/recorded-work.ts';
export * from './contract/rerun.ts';
export * from './contract/retention.ts';
export * from './contract/run-id.ts';
export * from './contract/run-reader.ts';
export * from './contract/run-schema.ts';
export * from './contract/run-times.ts';
export * from './contract/run-url.ts';
export * from './contract/run-watcher.ts';
export * from './contract/run.ts';
export {
  type Approver,
  needsPerson,
  type WrittenTerms,
  mayAnswer,
  readTerms,
  REJECTED_EXIT_CODE,
  type SignalTerms,
  termsOf,
} from './contract/signal-terms.ts';
export * from './contract/slots.ts';
export * from './contract/store.ts';
export * from './contract/under-way.ts';
export * from './contract/visible-run.ts';
export { WaitingRequests } from './contract/waiting-requests.ts';
export * from './contract/woken-loop.ts';
export * from './contract/wait-any.ts';
export { waitOf } from './contract/wait-query.ts';
export * from './contract/workflow.ts';
