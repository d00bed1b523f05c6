/** What a plugin's tests need: published as `svc/testing`. */
export { Activity, Refusals } from './activity.ts';
export { boot, type TestOptions, type TestServer } from './boot.ts';
export { type Answer, ask } from './client.ts';
export { ForwardClock, VirtualClock } from './clocks.ts';
export { contestedPuts } from './contested-puts.ts';
export { bootEngine, type EngineOptions, type EngineServer, withEngine } from './engine.ts';
export { cpuOf, longestHold, maxHoldMs } from './held.ts';
export { findBroken, type Invariant } from './invariants.ts';
export { openTestDatabase, type Store, STORES, type TestDatabase } from './databases.ts';
export { PlaceSealer } from './place-sealer.ts';
export { type LogLine, messageLog, RecordingLog } from './recording-log.ts';
export { OTHER, SCOPE } from './role-tokens.ts';
export { checkRuns } from './run-invariants.ts';
export { createIds, createMaskers, systemClock } from './services.ts';
export { anyScript, StandInAgent, submission, variablesOf } from './stand-in-runs.ts';
export { tablesWith } from './stored-text.ts';
export { testPlugin } from './test-plugin.ts';
export { until } from './until.ts';
