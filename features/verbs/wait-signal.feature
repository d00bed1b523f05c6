Feature: svc wait-signal waits for a signal

  Rule: The run is suspended until its signal arrives

    @VERB-013 @VERB-014 @SCR-017 @store
    Scenario: a signal wakes the script, which starts from the top and gets the payload
      When I submit the script "wait.sh":
        """
        echo "$$" >> {folder}/passes
        word=$(svc wait-signal go)
        svc step use -- printf '%s' "$word"
        """
      Then the run waits for "signal" "go"
      And the processes of the file "passes" are gone
      When I send the signal "other" with '"not this one"'
      And I send the signal "go" with '{"by": "ann", "list": [1, null, "ü"]}'
      Then the run succeeds
      And the file "passes" has 2 lines
      And the log is:
        """
        {"by":"ann","list":[1,null,"ü"]}
        """
      And the recorded steps are:
        | site  | kind        | exit | stdout                               |
        | go#0  | wait-signal | 0    | {"by":"ann","list":[1,null,"ü"]}\n   |
        | use#0 | step        | 0    | {"by":"ann","list":[1,null,"ü"]}     |

    @VERB-013 @store
    Scenario: a signal that arrived before the wait does not suspend the script
      Given a gate "open"
      When I submit the script "early.sh":
        """
        echo pass >> {folder}/passes
        read -r _ < {folder}/open
        svc wait-signal go
        """
      Then the file "passes" soon has 1 line
      When I send the signal "go" with 'true'
      And I open the gate "open"
      Then the run succeeds
      And the file "passes" has 1 line
      And the log is:
        """
        true
        """

  Rule: A wait can have a timeout

    @VERB-015
    Scenario: a wait with a timeout still receives a signal in time
      When I submit the script "limit.sh":
        """
        svc wait-signal go --timeout 1h
        """
      Then the run waits for "signal" "go"
      And the run waits for 3600 seconds
      When I send the signal "go" with '1'
      Then the run succeeds
      And the log is:
        """
        1
        """

    @HAND-055 @HAND-056
    Scenario: A script cannot wait for a signal name reserved for the engine
      When I submit the script "reserved.sh":
        """
        code=0; svc wait-signal event:push || code=$?
        echo "code $code"
        """
      Then the run succeeds
      And the log matches "code [1-9]"
      # @contract
      And the log has "code 2"
      # @contract
      And the log has "names that begin with event: are reserved for the engine"
      And 0 steps are recorded

    @HAND-055
    Scenario: a node cannot wait for a name that the engine uses
      When I send "PUT" to "{scoped}/graphs/g" with:
        """
        {"version": "svc-graph/v1", "nodes": [{"id": "a", "type": "wait_signal", "config": {"name": "event:push"}}], "edges": []}
        """
      Then the answer is 422 with code "workflow_invalid"
      And the answer names the faults "/nodes/0/config/name"
      When I submit the pipeline:
        """
        jobs: { gate: { wait_for_event: push.done } }
        """
      Then the run waits for "event" "push.done"
      When I call "svc signal {run} event:gate"
      Then the run succeeds
