@contract
Feature: Workflows that are functions served by a worker

  Rule: A worker runs the workflows that it serves and records their calls as for a script

    @own-agent
    Scenario: a function waits for a signal, and its recorded steps do not run again
      Given a worker of its own with the file "flows.mjs":
        """
        import { appendFileSync } from 'node:fs';
        import { step, waitSignal, workflow } from 'svc/sdk';
        workflow('ship-{project}', { input: { type: 'object', required: ['sku'] } }, async ({ sku }) => {
          const id = await step('reserve', () => (appendFileSync('{folder}/reserved', `${sku}\n`), `r-${sku}`));
          const { by } = await waitSignal('approved');
          return { id, by };
        });
        """
      When I call "svc submit --function ship-{project} --input sku=a1"
      Then it exits with 0
      When I look at the run on standard output
      Then the run waits for "signal" "approved"
      When I send the signal "approved" with '{"by":"ana"}'
      Then the run succeeds
      And "output" of the run is '{"id":"r-a1","by":"ana"}'
      And the file "reserved" soon has 1 line

    @own-agent
    Scenario: a submission is rejected if the workflow does not accept its input
      Given a worker of its own with the file "flows.mjs":
        """
        import { workflow } from 'svc/sdk';
        workflow('ship-{project}', { input: { type: 'object', required: ['sku'] } }, async () => 1);
        """
      When I call "svc submit --function ship-{project} --input color=red"
      Then it exits with 1
      And standard error has "/input/sku is required"
      When I call "svc submit --function nobody-{project}"
      Then it exits with 1
      And standard error has "no worker has registered the workflow"

    @own-agent
    Scenario: a script calls a function
      Given a worker of its own with the file "flows.mjs":
        """
        import { workflow } from 'svc/sdk';
        workflow('double-{project}', async (n) => n * 2);
        """
      When I submit the script "job.sh":
        """
        svc output set twice:="$(svc call function double-{project} --input 21)"
        """
      Then the run succeeds
      And "output" of the run is '{"twice":42}'

  @contract
  Rule: a script that defines workflows and runs none of them fails

    Scenario: a TypeScript program does not call serve()
      When I submit the script "orders.ts":
        """
        import { step, workflow } from 'svc/sdk';
        workflow('order', async () => step('reserve', () => 1));
        """
      Then the run fails with code "script_failed"
      And the log has "and runs none of them"
      And the log has "svc submit --function"

    @needs-python3
    Scenario: a Python program does not call serve()
      When I submit the script "orders.py":
        """
        from svc_sdk import step, workflow
        @workflow
        def order():
            return step("reserve", lambda: 1)
        """
      Then the run fails with code "script_failed"
      And the log has "and runs none of them"

    Scenario: a script can define a workflow and use it without running it
      When I submit the script "uses.mjs":
        """
        import { step, workflow } from 'svc/sdk';
        const order = workflow('order', async () => 1);
        await step('name', () => order.name);
        """
      Then the run succeeds
