import { step, workflow } from 'svc/sdk';

const LARGE = 'x'.repeat(20_000_000);

/** What a function can throw. */
const thrown: Record<string, () => unknown> = {
  circle: () => {
    const [first, second] = [new Error('the first'), new Error('the second')];
    first.cause = second;
    second.cause = first;
    return first;
  },
  nothing: () => null,
  'no text': () => Object.create(null),
  'a getter that throws': () => Object.defineProperty(new Error('a getter'), 'code', { get: thrower }),
  'a proxy that throws': () => new Proxy({}, { get: thrower, getPrototypeOf: thrower }),
  'a large code': () => Object.assign(new Error('a large code'), { code: LARGE }),
  'a large text': () => new Error(LARGE),
};
const thrower = (): never => {
  throw new Error('this throws');
};

export const throws = workflow('throws', async (name: string) => {
  throw thrown[name]!();
});
export const throwsInStep = workflow('throws-in-step', async (name: string) => {
  await step('throw', () => {
    throw thrown[name]!();
  });
});
export const returns = workflow('returns-large', async () => LARGE);
export const records = workflow('records-large', async () => await step('large', () => LARGE));
export const names = workflow('names-large', async () => await step(LARGE, () => 1));
export const prints = workflow('prints-large', async () => {
  // The point before them lets each cut fall into a character.
  console.log(`.${'😀'.repeat(4_500_000)}`);
  return 'printed';
});
export const pid = workflow('pid', async () => process.pid);
