Feature: Limits of handlers

  Rule: A chain of handlers has at most five generations

    @HAND-048 @HAND-049 @HAND-051 @LIM-006 @ERR-024 @OVW-021 @needs-python3
    Scenario: the sixth generation does not start, and its emit fails
      Given the handler "next" on "chain" runs "next.sh":
        """
        left=$(python3 -c "import json, os; print(json.load(open(os.environ['SVC_INPUT_FILE']))['payload'])")
        test "$left" = 0 || svc emit chain --payload "$((left - 1))"
        """
      When somebody emits "chain" with '{"payload": 4}'
      Then the project comes to rest
      And the "generation" of its runs are "1 2 3 4 5"
      And the "status" of its runs are "succeeded succeeded succeeded succeeded succeeded"
      And the project has 5 events of type "chain"
      When somebody emits "chain" with '{"payload": 5}'
      Then the project comes to rest
      And the project has 10 events of type "chain"
      And the "status" of its runs are "failed succeeded succeeded succeeded succeeded succeeded succeeded succeeded succeeded succeeded"
      And the error of the failed run of "next" has "chain_too_deep"

    @ERR-025 @needs-python3
    Scenario: if the source of an event cannot receive an error, the event is recorded and its delivery is rejected
      Given the handler "next" on "chain" runs "next.sh":
        """
        left=$(python3 -c "import json, os; print(json.load(open(os.environ['SVC_INPUT_FILE']))['payload'])")
        if test "$left" != 0; then svc emit chain --payload "$((left - 1))"; exit; fi
        echo true > {folder}/child.sh
        svc spawn {folder}/child.sh --tag child
        """
      And the handler "after" with '{"on": ["run.succeeded"], "when": "event.payload.workflow == \'child.sh\'"}' runs "note.sh":
        """
        true
        """
      When somebody emits "chain" with '{"payload": 3}'
      Then the project comes to rest
      And the run with the tag "child" is "succeeded"
      And the handler "after" ran 1 time
      When somebody emits "chain" with '{"payload": 4}'
      Then the project comes to rest
      And 2 runs have the tag "child"
      When the last event of type "run.succeeded" of the newest run with the tag "child" is looked at
      Then it was delivered so:
        | name  | state   | reason                        |
        | after | refused | chain_too_deep: .*generation 6 |
      And the handler "after" ran 1 time

    @contract @needs-python3
    Scenario: an emit without a matching handler does not count towards the chain
      Given the handler "next" on "chain" runs "next.sh":
        """
        left=$(python3 -c "import json, os; print(json.load(open(os.environ['SVC_INPUT_FILE']))['payload'])")
        test "$left" = 0 && svc emit chain.over || svc emit chain --payload "$((left - 1))"
        """
      When somebody emits "chain" with '{"payload": 4}'
      Then the project comes to rest
      And the project has 1 event of type "chain.over"

  Rule: A project has at most sixteen handler runs in flight

    @HAND-050 @HAND-052 @LIM-007 @ERR-026 @ERR-027 @store
    Scenario: an emit that would start a seventeenth run fails and records nothing
      Given 17 handlers on "crowd" whose runs no agent takes
      When somebody emits "crowd" with "{}"
      Then the answer is 429 with code "handlers_in_flight"
      # @contract
      And the header "retry-after" of the answer matches "^\d+$"
      # @contract
      And "detail" of the answer matches "17 handler runs while 0.*until fewer handlers match it"
      And the project has 0 events of type "crowd"
      And 0 handler runs are in flight and 0 wait
      Given the handler "many-17" is removed
      When somebody emits "crowd" with "{}"
      Then 16 handler runs are in flight and 0 wait
      When somebody emits "crowd" with "{}"
      Then the answer is 429 with code "handlers_in_flight"
      And the project has 1 event of type "crowd"
      When I call "svc emit crowd"
      Then it exits with 1
      # @contract
      And standard error has "handlers_in_flight"
      When every handler run that no agent takes is cancelled
      Then the project comes to rest
      And 0 handler runs are in flight and 0 wait

    @contract @store
    Scenario: a delivery without an emitter waits for a free slot
      Given 16 handlers on "crowd" whose runs no agent takes
      And the handler "after" with '{"on": ["run.succeeded"], "when": "event.payload.workflow == \'it.sh\'"}' runs "note.sh":
        """
        svc output set of="$CI_TRIGGER_EVENT"
        """
      When somebody emits "crowd" with "{}"
      And I submit the script "it.sh":
        """
        echo done
        """
      Then the run succeeds
      When the last event of type "run.succeeded" is looked at
      Then it was delivered so:
        | name  | state  | reason                                               |
        | after | queued | a project can have at most 16 handler runs in flight |
      And 16 handler runs are in flight and 1 wait
      When every handler run that no agent takes is cancelled
      Then the project comes to rest
      And it was delivered so:
        | name  | state     | reason |
        | after | delivered |        |
      And the handler "after" succeeds
      And "output.of" of the run is "run.succeeded"

    @contract @store
    Scenario: untrusted runs have four slots, and deliveries waiting for one do not block others
      Given 5 handlers on "forge.pull_request,crowd" whose runs no agent takes
      When a fork opens a pull request
      Then it was delivered so:
        | name   | state     | reason                                                        |
        | many-1 | delivered |                                                               |
        | many-2 | delivered |                                                               |
        | many-3 | delivered |                                                               |
        | many-4 | delivered |                                                               |
        | many-5 | queued    | a project can have at most 4 untrusted handler runs in flight |
      And 4 handler runs are in flight and 1 wait
      When I call "svc handler test many-1 --event {event}"
      Then standard output matches "outcome +queue"
      And standard output has "at most 4 untrusted handler runs in flight"
      When somebody emits "crowd" with "{}"
      Then 9 handler runs are in flight and 1 wait
      When every handler run that no agent takes is cancelled
      Then 1 handler runs are soon in flight
      When every handler run that no agent takes is cancelled
      Then the project comes to rest
      And the handler "many-5" ran 2 times

    @contract
    Scenario: a rerun of a handler run uses a slot too
      Given 16 handlers on "crowd" whose runs no agent takes
      And the handler "once" on "once" runs "once.sh":
        """
        true
        """
      When somebody emits "once" with "{}"
      Then the handler "once" succeeds
      And the run is called "first"
      When somebody emits "crowd" with "{}"
      Then 16 handler runs are in flight and 0 wait
      When I look at the run "first"
      And I send "POST" to "{scoped}/runs/{run}/rerun" with:
        """
        {}
        """
      Then the answer is 429 with code "handlers_in_flight"
      And the header "retry-after" of the answer matches "^\d+$"
      When every handler run that no agent takes is cancelled
      Then the project comes to rest
      When I look at the run "first"
      And I send "POST" to "{scoped}/runs/{run}/rerun" with:
        """
        {}
        """
      And I take the run of the answer
      Then the run succeeds

    @own-server @DLV-014 @store
    Scenario: a waiting delivery survives a server crash
      Given 16 handlers on "crowd" whose runs no agent takes
      And the handler "after" with '{"on": ["run.succeeded"], "when": "event.payload.workflow == \'it.sh\'"}' runs "note.sh":
        """
        true
        """
      When somebody emits "crowd" with "{}"
      And I submit the script "it.sh":
        """
        echo done
        """
      Then the run succeeds
      And 16 handler runs are in flight and 1 wait
      When the last event of type "run.succeeded" is looked at
      And the server is killed
      And the server is started again
      And every handler run that no agent takes is cancelled
      Then the project comes to rest
      And it was delivered so:
        | name  | state     | reason |
        | after | delivered |        |
      And the handler "after" succeeds
      And the handler "after" ran 1 time

    @contract
    Scenario: a delivery that waits for a removed handler never starts a run
      Given 16 handlers on "crowd" whose runs no agent takes
      And the handler "after" on "run.succeeded" runs "note.sh":
        """
        true
        """
      When somebody emits "crowd" with "{}"
      And I submit the script "it.sh":
        """
        echo done
        """
      Then the run succeeds
      When the last event of type "run.succeeded" is looked at
      And the handler "after" is removed
      Then it was delivered so:
        | name  | state   | reason                  |
        | after | refused | the handler was removed |
      When every handler run that no agent takes is cancelled
      Then the project comes to rest
      And the handler "after" ran 0 times

  Rule: A waiting handler run is not in flight

    @contract
    Scenario: runs that wait for approval use no slots and continue even if all slots are taken
      Given 16 handlers on "ask" run "wait.sh":
        """
        svc wait-signal go
        """
      And the handler "other" on "other" runs "other.sh":
        """
        true
        """
      When somebody emits "ask" with "{}"
      Then 0 handler runs are in flight and 0 wait
      When I call "svc emit other"
      Then it exits with 0
      And the handler "other" ran 1 time
      Given 16 handlers on "crowd" whose runs no agent takes
      When somebody emits "crowd" with "{}"
      Then 16 handler runs are in flight and 0 wait
      When every waiting run of "wait.sh" gets the signal "go"
      Then 16 runs of "wait.sh" succeed
      And 16 handler runs are in flight and 0 wait
      When every handler run that no agent takes is cancelled
      Then the project comes to rest
