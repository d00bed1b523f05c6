import {
  activity,
  activityCollect,
  activitySubmit,
  activityWaitAll,
  lock,
  output,
  step,
  type StepError,
} from 'svc/sdk';

const seen: unknown[] = [];
seen.push((await lock('shared')) > 0);
seen.push(await lock('other', ({ idempotencyKey }) => ({ key: idempotencyKey.length })));
seen.push(await lock('third', ['echo', 'under a lock']));
seen.push(
  await lock('fourth', (): never => {
    throw new Error('not under it');
  }).catch((error: StepError) => [error.exitCode, error.reason]),
);
seen.push(await activity('one', ['echo', 'of one']));
await activitySubmit('two', ['sh', '-c', 'echo of two']);
await activitySubmit('three', ['sh', '-c', 'exit 3']);
seen.push(await activityCollect('two'), await activityWaitAll());
seen.push(
  await activity('four', ['sh', '-c', 'echo some; exit 4']).catch((error: StepError) => [
    error.exitCode,
    String(error.stdout),
  ]),
);
await step('last', () => seen.length);
await output.set({ seen });
