import type { Figure } from '../figure.ts';
import { bus } from './bus.ts';
import { connections } from './connections.ts';
import { consolePages } from './console.ts';
import { devReady } from './dev-ready.ts';
import { event } from './event.ts';
import { fanOut } from './fan-out.ts';
import { flat } from './flat.ts';
import { firstLineByInterpreter } from './first-line.ts';
import { graphCheck } from './graph-check.ts';
import { growth } from './growth.ts';
import { handlers } from './handlers.ts';
import { jobs } from './jobs.ts';
import { masking } from './masking.ts';
import { memory } from './memory.ts';
import { nodes } from './nodes.ts';
import { oneStep } from './one-step.ts';
import { pipelineCheck } from './pipeline-check.ts';
import { replay } from './replay.ts';
import { requests } from './requests.ts';
import { runSearch } from './run-search.ts';
import { scale } from './scale.ts';
import { sdk } from './sdk.ts';
import { signal } from './signal.ts';
import { steps } from './steps.ts';
import { submit } from './submit.ts';
import { summary } from './summary.ts';
import { verbs } from './verbs.ts';
import { versionOfSvc } from './version.ts';
import { waits } from './waits.ts';
import { wake } from './wake.ts';

/** In the order of the report. */
export const figures: readonly Figure[] = [
  verbs,
  steps,
  sdk,
  submit,
  firstLineByInterpreter,
  oneStep,
  event,
  signal,
  bus,
  handlers,
  fanOut,
  nodes,
  jobs,
  graphCheck,
  pipelineCheck,
  requests,
  connections,
  replay,
  growth,
  masking,
  memory,
  flat,
  runSearch,
  summary,
  consolePages,
  devReady,
  versionOfSvc,
  scale,
  waits,
  wake,
];
