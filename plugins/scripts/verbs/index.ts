import type { Verb } from '../contract.ts';
import { activityVerb } from './activity.ts';
import { activityCollectVerb } from './activity-collect.ts';
import { activitySubmitVerb } from './activity-submit.ts';
import { activityWaitAllVerb } from './activity-wait-all.ts';
import { annotateVerb } from './annotate.ts';
import { emitVerb } from './emit.ts';
import { lockVerb } from './lock.ts';
import { outputVerb } from './output.ts';
import { sleepVerb } from './sleep.ts';
import { spawnVerb } from './spawn.ts';
import { stateVerb } from './state.ts';
import { stepVerb } from './step.ts';
import { waitEventVerb } from './wait-event.ts';
import { waitSignalVerb } from './wait-signal.ts';

/** The verbs of this plugin. */
export const verbs: readonly Verb[] = [
  stepVerb,
  sleepVerb,
  waitSignalVerb,
  waitEventVerb,
  emitVerb,
  lockVerb,
  activityVerb,
  activitySubmitVerb,
  activityCollectVerb,
  activityWaitAllVerb,
  spawnVerb,
  stateVerb,
  outputVerb,
  annotateVerb,
];
