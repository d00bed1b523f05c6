import t from 'tap';
import { Errors, type HttpRequest, largePages, type Route } from './index.ts';

/** As many pages as are made at a time, which wait to be released, and how the requests of callers go on behind them. */
function held() {
  const begun: string[] = [];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const route = largePages({
    async handle({ principal }: HttpRequest) {
      begun.push(principal!.id);
      await released;
      return { status: 204 };
    },
  } as Route);
  const ask = (id: string, signal = new AbortController().signal) =>
    route.handle({ principal: { id }, signal } as HttpRequest);
  return { begun, release, ask };
}

t.test('callers take turns at large answers, however many one of them asks for', async (t) => {
  const { begun, release, ask } = held();
  const many = Array.from({ length: 40 }, () => ask('many'));
  const one = ask('one');
  release();
  await Promise.all([...many, one]);
  t.ok(begun.indexOf('one') <= 10, `made as number ${begun.indexOf('one')}`);
});

t.test('nothing is read for a caller that has gone while it waited; a server that stops answers', async (t) => {
  const { begun, release, ask } = held();
  const many = Array.from({ length: 8 }, () => ask('many'));
  const [gone, stopped] = [new AbortController(), new AbortController()];
  const left = ask('gone', gone.signal);
  const last = ask('last', stopped.signal);
  gone.abort(new Error('it has gone'));
  stopped.abort(Errors.unavailable('the server is stopping'));
  release();
  await t.rejects(left, { message: 'it has gone' });
  t.same(await last, { status: 204 });
  await Promise.all(many);
  t.notOk(begun.includes('gone'));
});
