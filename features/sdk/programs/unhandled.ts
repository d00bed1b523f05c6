import { step } from 'svc/sdk';

await step('charge', (): never => {
  throw new RangeError('card declined');
});
