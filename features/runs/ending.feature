@contract
Feature: Ending a run

  Rule: A cancelled run stays cancelled

    Scenario: a waiting run is cancelled with a reason
      When I submit the script "job.sh":
        """
        svc wait-signal never
        echo went on >>{folder}/after
        """
      Then the run waits for "signal" "never"
      When I cancel the run because "wrong branch"
      Then the run is "cancelled"
      And "reason" of the run is "wrong branch"
      And the file "after" has 0 lines

    Scenario: a running script is killed with all its processes
      When I submit the script "job.sh":
        """
        echo $$ >>{folder}/alive
        sleep 600 & echo $! >>{folder}/alive
        wait
        """
      Then the file "alive" soon has 2 lines
      When I cancel the run because "enough"
      Then the run is "cancelled"
      And the processes of the file "alive" are gone

    Scenario: a second cancellation changes nothing
      When I submit the script "job.sh":
        """
        svc wait-signal never
        """
      Then the run waits for "signal" "never"
      When I cancel the run because "first"
      And I send "POST" to "{scoped}/runs/{run}/cancel" with:
        """
        {"reason": "second"}
        """
      Then the answer is 200
      And "reason" of the answer is "first"

  Rule: A finished run accepts no more changes

    Scenario: a finished run rejects signals and cancellations
      When I submit the script "job.sh":
        """
        true
        """
      Then the run succeeds
      When I send "POST" to "{scoped}/runs/{run}/signals/go" with:
        """
        null
        """
      Then the answer is 409 with code "run_finished"
      When I call "svc signal {run} go"
      Then it exits with 1
      And standard error has "(run_finished)"
      And standard error has "→ `svc status` shows how it ended"
      When I call "svc cancel {run}"
      Then it exits with 1
      And standard error has "(run_finished)"

    Scenario Outline: the request "<action>" is rejected for an unknown run
      When I send "<method>" to "{scoped}/runs/run_00000000000000000000000000<path>"
      Then the answer is 404 with code "not_found"

      Examples:
        | action | method | path        |
        | look   | GET    |             |
        | steps  | GET    | /steps      |
        | logs   | GET    | /logs       |
        | cancel | POST   | /cancel     |
        | signal | POST   | /signals/go |
