@contract
Feature: What costs time

  Rule: One answer shows waits, retries that never help, and handlers that start nothing

    @store
    Scenario: a wait, retries in vain and an idle handler, each with a command
      Given a file "audit.sh":
        """
        echo audited
        """
      When I call "svc handler set audit audit.sh --on order.audited"
      And I call svc with the arguments:
        | handler | set | large | audit.sh | --on | order.paid | --when | event.payload.total > 100 |
      Then it exits with 0
      When I submit the script "pay.sh":
        """
        svc step charge --retry 2 --backoff 10ms -- sh -c 'exit 9'
        """
      Then the run is "failed"
      When I submit the script "pay.sh":
        """
        svc step charge --retry 2 --backoff 10ms -- sh -c 'exit 9'
        """
      Then the run is "failed"
      When I submit the script "ask.sh":
        """
        svc wait-signal approved --timeout 1s || echo nobody answered
        """
      Then the run is "succeeded"
      When I call svc with the arguments:
        | emit | order.paid | --payload | {"total": 1} |
      And I call "svc explain --since 1s --json"
      Then it exits with 0
      And standard output is JSON whose "handlers.0.name" is "audit"
      And standard output is JSON whose "handlers.0.last_run_at" is "null"
      And standard output matches "see which types exist: svc events types"
      And standard output is JSON whose "handlers.1.name" is "large"
      And standard output matches "svc handler test large --event evt_"
      When I call "svc explain --since 1h"
      Then it exits with 0
      And standard output has "3 runs since"
      And standard output matches "ask\.sh waited for signal approved: \d+s in 1 wait"
      And standard output matches "pay\.sh, step charge: 4 attempts of 2 calls failed"
      And standard output matches "→ see why each attempt failed: svc explain run_"
      When I call "svc explain --since 1h --json"
      Then standard output is JSON whose "runs" is "3"
      And standard output is JSON whose "complete" is "true"
      And standard output is JSON whose "retries.0.attempts" is "4"
      And standard output is JSON whose "handlers" is "[]"

    Scenario: times that make no sense are rejected
      When I call "svc explain"
      Then it exits with 2
      And standard error has "svc explain needs a run or --since"
      When I call "svc explain run_00000000000000000000000001 --since 1h"
      Then it exits with 2
      When I send "GET" to "{scoped}/insights?since=soon"
      Then the answer is 400 with code "invalid_request"
      When I send "GET" to "{scoped}/insights?since=2999-01-01"
      Then the answer is 400 with code "invalid_request"

  Rule: Secret values stay hidden

    Scenario: the name of a wait that contains a secret value is masked
      When I call "svc secret set CODEWORD -" with standard input:
        """
        hush-hush-hush
        """
      When I submit the script "ask.sh":
        """
        svc wait-signal "about-$CODEWORD" --timeout 1s || true
        """
      Then the run is "succeeded"
      When I call "svc explain --since 1h --json"
      Then standard output is JSON whose "waits.0.name" is "about-***"
      And standard output lacks "hush-hush-hush"
