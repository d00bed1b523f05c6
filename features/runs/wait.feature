Feature: Waiting for a run to end

  Rule: A submission or request with `wait` returns as soon as the run has ended

    @HTTP-010 @HTTP-012 @store
    Scenario: a submission that waits returns the whole run
      When I send "POST" to "{scoped}/runs?wait=1m" with:
        """
        {"filename": "sum.sh", "source": "svc output set sum:=3\n", "tags": ["team:a"]}
        """
      Then the answer is 201
      And "run_id" of the answer matches "^run_[0-9A-HJKMNP-TV-Z]{26}$"
      And "status" of the answer is "succeeded"
      And "output" of the answer is '{"sum":3}'
      And "tags" of the answer is '["team:a"]'
      And "finished_at" of the answer matches "^20..-"

    @HTTP-013 @HTTP-014 @HTTP-015 @store
    Scenario: a repeat with the same key waits for the first run
      When I send "POST" to "{scoped}/runs" with:
        """
        {"filename": "slow.sh", "source": "svc wait-signal go\n", "idempotency_key": "k-1"}
        """
      And I take the run of the answer
      Then the run waits for "signal" "go"
      When I begin to send "POST" to "{scoped}/runs?wait=1m" with:
        """
        {"filename": "slow.sh", "source": "svc wait-signal go\n", "idempotency_key": "k-1"}
        """
      And I send the signal "go" with "1"
      Then that request is answered with 200
      And "run_id" of the answer is "{run}"
      And "duplicate" of the answer is "true"
      And "status" of the answer is "succeeded"

    @contract
    Scenario Outline: a request that waits returns the run's final status: <status>
      When I submit the script "job.sh":
        """
        svc wait-signal go
        exit 3
        """
      Then the run waits for "signal" "go"
      When I begin to send "GET" to "{scoped}/runs/{run}?wait=1m"
      And <what happens>
      Then that request is answered with 200
      And "status" of the answer is "<status>"

      Examples:
        | status    | what happens                         |
        | failed    | I send the signal "go" with "null"   |
        | cancelled | I cancel the run because "too late"  |

  @contract
  Rule: After the requested time, the response is the run's current state

    Scenario: a request that waits for an unfinished run returns after the requested time
      When I submit the script "job.sh":
        """
        svc wait-signal go
        """
      Then the run waits for "signal" "go"
      When I send "GET" to "{scoped}/runs/{run}?wait=50ms"
      Then the answer is 200
      And "status" of the answer is "waiting"
      And "substate.name" of the answer is "go"
      When I call "svc status {run} --wait 50ms"
      Then it exits with 124
      And standard output has "waiting (signal go)"
      When I send the signal "go" with "null"
      And I call "svc status {run} --wait 1m"
      Then it exits with 0
      And standard output has "succeeded"

    Scenario: svc status --wait exits with 1 for a failed run
      When I submit the script "job.sh":
        """
        exit 3
        """
      And I call "svc status {run} --wait 1m --json"
      Then it exits with 1
      And standard output is JSON whose "status" is "failed"

  @contract
  Rule: An invalid `wait` is rejected, and nothing runs

    Scenario Outline: a `wait` is rejected: <what>
      When I send "POST" to "{scoped}/runs?wait=<wait>" with:
        """
        {"filename": "job.sh", "source": "true\n"}
        """
      Then the answer is 400 with code "invalid_request"
      And "errors.0.pointer" of the answer is "/query/wait"
      When I send "GET" to "{scoped}/runs"
      Then the answer lists 0 "runs"

      Examples:
        | what                | wait    |
        | a time without unit | 30      |
        | a negative time     | -5s     |
        | more than ten mins  | 10m1ms  |
        | a word              | forever |

    Scenario: a request for an unknown run does not wait
      When I send "GET" to "{scoped}/runs/run_0?wait=1m"
      Then the answer is 404 with code "not_found"
