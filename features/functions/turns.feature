Feature: The runs of a function take turns

  Rule: The options of a function limit how many of its runs proceed at once, for each value of a key

    @contract @own-agent @store
    Scenario: a run waits for another run of the same customer, no matter what started it
      Given a worker of its own with the file "flows.mjs":
        """
        import { waitSignal, workflow } from 'svc/sdk';
        workflow('ship-{project}', { concurrency: { key: 'input.customer', limit: 1 } }, async ({ customer }) => {
          if (customer === 'ana') await waitSignal('go');
          return customer;
        });
        """
      When I call "svc submit --function ship-{project} --input customer=ana --json"
      Then standard output is JSON whose "run_id" is noted as "first"
      When I look at the run noted as "first"
      Then the run waits for "signal" "go"
      When I call "svc submit --function ship-{project} --input customer=ana --json"
      Then standard output is JSON whose "run_id" is noted as "second"
      When I look at the run noted as "second"
      Then the run is "queued"
      When I call "svc explain {run}"
      Then standard output has "It is waiting for the lock function/ship-{project}/ana"
      When I call "svc submit --function ship-{project} --input customer=bo"
      And I look at the run on standard output
      Then the run succeeds
      When I call "svc submit --function ship-{project} --input color=red"
      Then it exits with 1
      And standard error has "function_key_failed"
      When I look at the run noted as "first"
      And I send the signal "go" with '{}'
      Then the run succeeds
      When I look at the run noted as "second"
      Then the run waits for "signal" "go"
      When I send the signal "go" with '{}'
      Then the run succeeds
