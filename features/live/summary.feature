@contract
Feature: The project summary

  Rule: One response shows what is running, what waits and what failed

    @store
    Scenario: the summary shows a waiting run and a failed run
      When I submit the script "fails.sh":
        """
        echo no such luck >&2
        exit 3
        """
      Then the run is "failed"
      When I submit the script "waits.sh":
        """
        svc wait-signal approved
        """
      Then the run waits for "signal" "approved"
      When I call "svc summary --json"
      Then standard output is JSON whose "runs.waiting" is "1"
      And standard output is JSON whose "runs.failed" is "1"
      And standard output is JSON whose "waits.oldest.0.name" is "approved"
      And standard output is JSON whose "failures.0.workflow" is "fails.sh"
      When I call "svc summary --window 1h"
      Then standard output has "1 waiting"
      And standard output has "1 failed"
      And standard output has "approved"
      When I send "GET" to "{scoped}/summary?window=2h"
      Then the answer is 400 with code "invalid_request"
      When I cancel the run because "seen"
      Then the run is "cancelled"
