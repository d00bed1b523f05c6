import { NonRetryableError, step, StepError } from 'svc/sdk';

const outcome = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    return `${error.exitCode} ${error.reason}`;
  }
};
const tried = await step(
  'tried',
  ({ attempt }) => {
    if (attempt !== Number(process.env.ATTEMPT) || attempt < 3) throw new Error('not yet');
    return attempt;
  },
  { retry: { attempts: 5, backoff: '10ms', maxBackoff: '20ms' } },
);
console.log(`tried: ${tried}`);
const command = ['sh', '-c', 'echo "try $ATTEMPT"; test "$ATTEMPT" = 2'];
console.log(`command: ${await step('command', command, { retry: 2 })}`);
const never = step('never', () => Promise.reject(new NonRetryableError('it is over')), { retry: 50 });
console.log(`never: ${await outcome(never)}`);
const late = step('late', () => new Promise(() => setInterval(() => undefined, 1000)), { timeout: '200ms' });
console.log(`late: ${await outcome(late)}`);
process.exit(0);
