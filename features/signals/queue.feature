Feature: Signals are queued by name

  Rule: Signals wait for the script, and the script waits for signals

    @SIG-001 @SIG-002 @SIG-003 @store
    Scenario: signals that arrive without a wait are consumed one by one, in order
      When I submit the script "queue.sh":
        """
        svc wait-signal start
        for turn in 1 2 3; do svc wait-signal q; done
        svc wait-signal other
        """
      Then the run waits for "signal" "start"
      When I send the signal "other" with '"another queue"'
      And I send the signal "q" with '"first"'
      And I send the signal "q" with '"second"'
      And I send the signal "q" with '"third"'
      And I send the signal "start" with '0'
      Then the run succeeds
      And the log is:
        """
        0
        "first"
        "second"
        "third"
        "another queue"
        """
      And the recorded steps are:
        | site    | stdout             |
        | start#0 | 0\n                |
        | q#0     | "first"\n          |
        | q#1     | "second"\n         |
        | q#2     | "third"\n          |
        | other#0 | "another queue"\n  |

    @SIG-002 @store
    Scenario: a signal ends exactly one wait
      When I submit the script "one.sh":
        """
        svc wait-signal q
        svc wait-signal q
        """
      Then the run waits for "signal" "q"
      When I send the signal "q" with '1'
      Then the run soon waits at "q#1"
      When I send the signal "q" with '2'
      Then the run succeeds
      And the log is:
        """
        1
        2
        """

    @contract
    Scenario: a signal to a finished run is rejected
      When I submit the script "over.sh":
        """
        true
        """
      Then the run succeeds
      When I send "POST" to "{scoped}/runs/{run}/signals/late" with:
        """
        null
        """
      Then the answer is 409 with code "run_finished"

    @contract @store
    Scenario: a signal repeated with the same idempotency key is delivered once
      When I submit the script "once.sh":
        """
        svc wait-signal go
        svc wait-signal go
        """
      Then the run waits for "signal" "go"
      When I call "svc signal {run} go --payload 1 --idempotency-key approval"
      And I call "svc signal {run} go --payload 2 --idempotency-key approval"
      And I call "svc signal {run} go --payload 3 --idempotency-key other"
      Then the run succeeds
      And the log is:
        """
        1
        3
        """
      When I call "svc signal {run} go --payload 1 --idempotency-key approval"
      Then it exits with 0

  Rule: Waits for the same name in one run share a queue

    @SIG-004 @store
    Scenario: two nodes each receive one signal
      When I run the graph:
        """
        {"nodes": [{"id": "one", "type": "wait_signal", "config": {"name": "go"}},
                   {"id": "two", "type": "wait_signal", "config": {"name": "go"}}],
         "output": {"$expr": "nodes.one.output + nodes.two.output"}}
        """
      Then the run waits for "signal" "go"
      When I send the signal "go" with "1"
      Then the run waits for "signal" "go"
      When I send the signal "go" with "2"
      Then the run succeeds
      And "output" of the run is "3"

    @SIG-004 @store
    Scenario: two nodes each receive one of the signals that were queued before they waited
      When I run the graph:
        """
        {"nodes": [{"id": "start", "type": "wait_signal", "config": {"name": "start"}},
                   {"id": "one", "type": "wait_signal", "config": {"name": "go"}},
                   {"id": "two", "type": "wait_signal", "config": {"name": "go"}}],
         "edges": [{"from": "start", "to": "one"}, {"from": "start", "to": "two"}],
         "output": {"$expr": "nodes.one.output + nodes.two.output"}}
        """
      Then the run waits for "signal" "start"
      When I send the signal "go" with "1"
      And I send the signal "go" with "2"
      And I send the signal "start" with "null"
      Then the run succeeds
      And "output" of the run is "3"
