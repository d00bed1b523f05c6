import type { Figure } from '../figure.ts';
import { bus } from './bus.ts';
import { devReady } from './dev-ready.ts';
import { fanOut } from './fan-out.ts';
import { growth } from './growth.ts';
import { handlers } from './handlers.ts';
import { masking } from './masking.ts';
import { memory } from './memory.ts';
import { replay } from './replay.ts';
import { scale } from './scale.ts';
import { sdk } from './sdk.ts';
import { signal } from './signal.ts';
import { steps } from './steps.ts';
import { submit } from './submit.ts';
import { verbs } from './verbs.ts';
import { versionOfSvc } from './version.ts';
import { wake } from './wake.ts';

/** In the order of the report. */
export const figures: readonly Figure[] = [
  verbs,
  steps,
  sdk,
  submit,
  signal,
  bus,
  handlers,
  fanOut,
  replay,
  growth,
  masking,
  memory,
  devReady,
  versionOfSvc,
  scale,
  wake,
];
