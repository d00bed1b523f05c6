import type { Verb } from '../contract.ts';
import { annotateVerb } from './annotate.ts';
import { outputVerb } from './output.ts';
import { sleepVerb } from './sleep.ts';
import { stateVerb } from './state.ts';
import { stepVerb } from './step.ts';
import { waitSignalVerb } from './wait-signal.ts';

/** The verbs of this plugin. */
export const verbs: readonly Verb[] = [stepVerb, sleepVerb, waitSignalVerb, stateVerb, outputVerb, annotateVerb];
