import {
  activity,
  activityCollect,
  activitySubmit,
  activityWaitAll,
  annotate,
  call,
  emit,
  exec,
  lock,
  sleep,
  state,
  step,
  waitSignal,
  workflow,
} from 'svc/sdk';

export const inner = workflow('inner', async (input: number) => input + 1);

/** One of every call that a workflow makes, with results, failures and timeouts. */
export const everyCall = workflow('every-call', async (input: { name: string }) => {
  const failure = (error: Error) => error.message;
  const results = [
    await step('text', () => `hello ${input.name}`),
    await step('json', () => ({ at: new Date(0), list: [1, null] }), { label: 'A label' }),
    await step('nothing', () => {}),
    await step('number as text', () => '5'),
    await step('command', ['echo', 'hi']),
    (await exec('exit', ['sh', '-c', 'exit 3'])).exitCode,
    await step('throws', () => {
      throw Object.assign(new RangeError('too far'), { exitCode: 7 });
    }).catch(failure),
    await step(
      'tried',
      ({ attempt }) => {
        if (attempt !== 3) throw new Error(`attempt ${attempt}`);
        return attempt;
      },
      { retry: 3 },
    ),
    await step('text', () => 'again'),
    await waitSignal('go'),
    await waitSignal('late', { timeout: '50ms' }).catch(failure),
    await state.get('none'),
    await state.set('a', { b: 1 }),
    await state.set('a', 'text', { entity: 'every' }),
    await state.getJson('a'),
    await state.get('a', { entity: 'every' }),
    await state.list(),
    await state.delete('a'),
    await lock('every'),
    await lock('every-2', () => 'held'),
    await lock('every-3', ['echo', 'held']),
    await activity('echo', ['echo', 'x']),
    await activitySubmit('later', ['sh', '-c', 'exit 4']),
    await activityWaitAll(),
    await activityCollect('later').catch(failure),
    await call(inner, 1),
    (await emit('every.done', { key: 'k', payload: [1] })).slice(0, 4),
  ];
  await sleep('20ms');
  await annotate('a note');
  return results.map((result) => result ?? null);
});
