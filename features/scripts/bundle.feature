@contract
Feature: Scripts with several files

  Background:
    Given a file "lib/prices.ts":
      """
      export interface Line { price: number; count: number }
      export enum Currency { EUR = 'EUR', CHF = 'CHF' }

      export function total(lines: Line[]): number {
        if (lines.length === 0) throw new RangeError('an order without lines');
        return lines.reduce((sum, { price, count }) => sum + price * count, 0);
      }
      """
    And a file "node_modules/shouting/package.json":
      """
      {"name": "shouting", "main": "main.js"}
      """
    And a file "node_modules/shouting/main.js":
      """
      const { EOL } = require('os');
      exports.shout = (text) => text.toUpperCase() + '!' + EOL.length;
      """

  Rule: A submission includes what the script imports

    Scenario: imported files, a package and an enum work in every pass and after the files are deleted
      Given a file "order.ts":
        """
        import { shout } from 'shouting';
        import { data, output, sleep, step } from 'svc/sdk';
        import { Currency, type Line, total } from './lib/prices.ts';

        const sum = await step('total', () => total([data<Line>()]));
        await sleep('20ms');
        console.log(shout(`${Currency.CHF} ${sum}`));
        await output.set({ sum });
        """
      When I submit "order.ts --input price:=2.5 count:=2" with the CLI as "first"
      Then the run succeeds
      And "workflow" of the run is "order.ts"
      And "output.sum" of the run is "5"
      And the log has "CHF 5!1"
      Given a file "lib/prices.ts":
        """
        throw new Error('another one by now');
        """
      When I rerun it as "second"
      Then the run succeeds
      And "output.sum" of the run is "5"

    Scenario: an error shows the file and line in the author's source
      Given a file "order.ts":
        """
        import { total } from './lib/prices.ts';

        console.log(total([]));
        """
      When I call "svc submit order.ts --follow"
      Then it exits with 1
      And standard error has "RangeError: an order without lines"
      And standard error matches "at total \(lib/prices\.ts:5:33\)"
      And standard error matches "at .*\border\.ts:3:13"

    Scenario: a handler, a pipeline job, a local run and a spawned run can have several files
      Given a file "job.ts":
        """
        import { output } from 'svc/sdk';
        import { total } from './lib/prices.ts';
        await output.set({ sum: total([{ price: 3, count: 2 }]) });
        """
      When I call "svc handler set sum job.ts --on shop.sum"
      Then it exits with 0
      When somebody emits "shop.sum" with "{}"
      Then the handler "sum" succeeds
      And "output.sum" of the run is "6"
      When I call "svc run job.ts --json"
      Then standard output is JSON whose "output.sum" is "6"
      Given a file "ci.yml":
        """
        jobs: { sum: { workflow: ./job.ts } }
        """
      When I submit "ci.yml" with the CLI as "pipeline"
      Then the run succeeds
      Given a file "parent.sh":
        """
        svc output set child="$(svc spawn {folder}/job.ts)"
        """
      When I submit "parent.sh" with the CLI as "parent"
      Then the run succeeds
      And the project comes to rest

  Rule: An import that cannot be included is rejected with its position

    Scenario Outline: a missing import and native code are rejected
      Given a file "job.ts":
        """
        import 'svc/sdk';
        import x from '<name>';
        console.log(x);
        """
      And a file "node_modules/built/package.json":
        """
        {"name": "built", "main": "main.js"}
        """
      And a file "node_modules/built/main.js":
        """
        module.exports = 1;
        """
      And a file "node_modules/built/binding.gyp":
        """
        {}
        """
      When I call "svc submit job.ts"
      Then it exits with 2
      And standard error has "<said>"

      Examples:
        | name         | said                                              |
        | ./none.ts    | job.ts:2:15: Could not resolve                    |
        | nowhere      | packages must be installed here                   |
        | built        | the package built is a native addon               |
        | ./fast.node  | job.ts:2:15: ./fast.node is a native addon        |

    Scenario: svc check reports a missing import, and replays a script with several files
      Given a file "job.ts":
        """
        import { step } from 'svc/sdk';
        import { Currency } from './lib/prices.ts';
        enum Kind { one }
        await step(Currency.EUR, () => Kind.one);
        """
      When I submit "job.ts" with the CLI as "first"
      Then the run succeeds
      When I call "svc check job.ts --replay {run}"
      Then it exits with 0
      Given a file "job.ts":
        """
        import { step } from 'svc/sdk';
        import { Currency } from './lib/none.ts';
        await step(Currency.EUR, () => 1);
        """
      When I call "svc check job.ts"
      Then it exits with 1
      And standard output has 'job.ts:2:26: Could not resolve "./lib/none.ts" (script_not_bundled)'

    Scenario: svc check and svc submit leave packages in NODE_PATH to the agent's machine
      Given a file "job.ts":
        """
        import there from 'there';
        import { Currency } from './lib/prices.ts';
        console.log(there, Currency.EUR);
        """
      When I call "svc check job.ts"
      Then it exits with 1
      When I call "svc check job.ts --env NODE_PATH=/opt/there"
      Then it exits with 0
      When I call "svc submit job.ts --env NODE_PATH=/opt/there"
      Then it exits with 0
      And the project comes to rest

  Rule: Common ways to write scripts work

    Scenario: types are imported like values, in a file with a space in its name
      Given a file "my order.ts":
        """
        import { Line } from './lib/prices.ts';
        import { sleep, step } from 'svc/sdk';
        import { existsSync, writeFileSync } from 'node:fs';
        const line: Line = { price: 2, count: 1 };
        if (existsSync('{folder}/seen')) await step('price', () => line.price);
        writeFileSync('{folder}/seen', '');
        await step('count', () => line.count);
        await sleep('20ms');
        """
      When I call "svc submit '{folder}/my order.ts' --follow"
      Then it exits with 1
      And standard error has "the current call is in line 5: if (existsSync("
      And standard error has "the recorded call is in line 7: await step('count'"
