import type { Figure } from '../figure.ts';
import { devReady } from './dev-ready.ts';
import { growth } from './growth.ts';
import { masking } from './masking.ts';
import { memory } from './memory.ts';
import { replay } from './replay.ts';
import { scale } from './scale.ts';
import { signal } from './signal.ts';
import { steps } from './steps.ts';
import { submit } from './submit.ts';
import { verbs } from './verbs.ts';
import { versionOfSvc } from './version.ts';

/** In the order of the report. */
export const figures: readonly Figure[] = [
  verbs,
  steps,
  submit,
  signal,
  replay,
  growth,
  masking,
  memory,
  devReady,
  versionOfSvc,
  scale,
];
