/**
 * What plugins use of the CLI (`svc/cli`). A plugin that brings commands has `cli/table.ts`, which exports
 * `commands: readonly Command[]`, and a file for each command, which exports `run: Run`. A plugin that brings verbs of
 * scripts has `cli/verbs.ts`, which exports `verbs: readonly ScriptVerb[]`. Tables are read at every start: they hold
 * data, and `load` brings the code. In SVC_PLUGINS the files may end in `.ts`, `.mjs` or `.js`.
 */
export { adminCommand } from './admin.ts';
export { assertDatabaseFree } from './home-lock.ts';
export type { Call, Client } from './client/client.ts';
export { waitUntil } from './client/wait-until.ts';
export {
  type Argument,
  type Command,
  type Flag,
  type Flags,
  type FlagValues,
  type Invocation,
  inGroup,
  type LocalService,
  type Run,
  type ScriptVerb,
  type CompletionSource,
} from './command.ts';
export { bundleDocument } from './bundled.ts';
export { CliError, Exit, usageError } from './errors.ts';
export { suggestEmittedTypes, suggestHandledType, suggestListenedType } from './event-types.ts';
export { contentsOf, type IncludedFile, sendIncluded } from './included.ts';
export { rememberSubmitted } from './last-run.ts';
export { readDocument, readInput, readJson, readPairs, readSecret } from './input.ts';
export type * as Api from './generated/api.ts';
export { compileSchema } from './compile-schema.ts';
export { parseDuration } from '../kernel/contracts/duration.ts';
export { parseExact } from '../plugins/platform/schema/contract/exact-json.ts';
export { ExactNumber } from '../plugins/platform/schema/contract/exact-number.ts';
export { pointerTo } from '../plugins/platform/schema/contract/pointer.ts';
export { type Columns, formatItem, formatLabels } from './output/columns.ts';
export { openInBrowser } from './open-in-browser.ts';
export type { Output } from './output/output.ts';
export { formatReference, readReference, REFERENCE_FLAGS, splitReference } from './store-reference.ts';
export { withSecretFiles } from './secret-files.ts';
export { workflowRoot } from './root.ts';
export { formatSpan } from './output/span.ts';
export { readAll } from './pages.ts';
export { splitPipeline } from './pipeline-files.ts';
export { readPayload } from './payload.ts';
export {
  listCommand,
  NAME,
  namedPath,
  putItem,
  putCommand,
  removeCommand,
  resourceCommands,
  showCommand,
} from './resource.ts';
export { runTest } from './test-result.ts';
export { runTool, type ToolAnswer, toolCommand } from './tool.ts';
export { usesCommand } from './uses.ts';
export {
  DOCUMENT_FLAGS,
  INPUT_FLAG,
  readOptionalWorkflow,
  readWorkflow,
  withInputFlags,
  WORKFLOW_FLAGS,
} from './workflow.ts';
