import { Then } from '@cucumber/cucumber';
import { until } from '../support/process.ts';
import type { SvcWorld } from '../support/world.ts';
import { asText } from '../support/text.ts';
import { at } from './cli.ts';

/** Servers poll in the background. */
Then(
  '{string} of the trigger {string} is soon {string}',
  async function (this: SvcWorld, path: string, name: string, value: string) {
    const expected = this.expand(value);
    let seen = '';
    await until(`${path} of ${name} to be ${expected}`, 60_000, async () => {
      const view = (await this.call('GET', `${this.scoped}/triggers/${name}`)).json() as { last_poll?: object };
      // Before the first poll there is nothing to look at.
      if (view.last_poll === undefined) return undefined;
      seen = asText(at(view, path));
      return seen === expected || undefined;
    }).catch((error: Error) => {
      throw new Error(`${error.message}; it is ${seen}`);
    });
  },
);
