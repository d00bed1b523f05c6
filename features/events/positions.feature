Feature: An emit in a script is recorded at its position

  Rule: svc emit in a script works as on the command line and is recorded

    @VERB-041 @CLI-020 @EVT-007 @OVW-021 @CLI-021 @SUBJ-003
    Scenario: svc emit prints the event's ID in a script too
      Given a file "payload.json":
        """
        {"from": "a file"}
        """
      When I submit the script "emit.sh":
        """
        svc emit one --key acme/web --payload '{"n":1}'
        echo '{"n":2}' | svc emit two --payload -
        cd {folder}; svc emit three --payload @payload.json
        svc emit four
        """
      Then the run succeeds
      And the log matches "^(evt_\w{26}\n){4}$"
      And "key" of the last event "one" is "acme/web"
      And "payload" of the last event "one" is '{"n":1}'
      And "payload" of the last event "two" is '{"n":2}'
      And "payload" of the last event "three" is '{"from":"a file"}'
      And "payload" of the last event "four" is "null"
      And "source_name" of the last event "one" is "{run}"
      And the recorded steps are:
        | site    | kind | exit |
        | one#0   | emit | 0    |
        | two#0   | emit | 0    |
        | three#0 | emit | 0    |
        | four#0  | emit | 0    |

    @EVT-039 @ERR-015
    Scenario: a rejected emit is recorded, and the script can continue
      When I submit the script "refused.sh":
        """
        svc emit run.failed || echo "code $?"
        svc emit 'no type' || echo "code $?"
        svc emit fine --payload '{oops' || echo "code $?"
        svc emit fine
        """
      Then the run succeeds
      # @contract
      And the log has "event_type_reserved"
      And the project has 0 events of type "run.failed"
      # @contract
      And the log has "code 1"
      # @contract
      And the log has "code 2" 2 times
      And there is 1 event "fine"
      And the recorded steps are:
        | site   | kind | exit |
        | fine#0 | emit | 2    |
        | fine#1 | emit | 0    |

    @contract
    Scenario: deleting the payload file before the next pass has no effect
      Given a file "once.json":
        """
        {"n": 1}
        """
      When I submit the script "gone.sh":
        """
        id=$(svc emit once --payload @{folder}/once.json)
        rm -f {folder}/once.json
        svc sleep 10ms
        echo "$id" >> {folder}/ids
        """
      Then the run succeeds
      And there is 1 event "once"
      And the file "ids" has 1 line

    @contract
    Scenario: a payload over the limit is rejected with its size
      Given a file "exact.json" of 2097125 bytes of JSON
      And a file "over.json" of 2097126 bytes of JSON
      When I submit the script "large.sh":
        """
        svc emit large --payload @{folder}/over.json || echo "code $?"
        svc emit large --payload @{folder}/exact.json
        """
      Then the run succeeds
      And the log has "1 byte over the limit of 2 MiB"
      And there is 1 event "large"

  Rule: A repeat at the same position returns the same event with the first payload

    @VERB-042 @EVT-027 @EVT-028 @EVT-031 @DLV-013
    Scenario: a replay does not emit the event or start a handler again
      Given the handler "hears" on "told" runs "note.sh":
        """
        true
        """
      When I submit the script "replay.sh":
        """
        echo pass >> {folder}/passes
        svc emit told --payload "$(wc -l < {folder}/passes)"
        svc wait-signal one
        svc emit told --payload '"second place"'
        svc wait-signal two
        """
      Then the run waits for "signal" "one"
      When I send the signal "one" with '1'
      Then the run waits for "signal" "two"
      When I send the signal "two" with '2'
      Then the run succeeds
      And the file "passes" has 3 lines
      And there are 2 events "told"
      And the project comes to rest
      And the handler "hears" ran 2 times
      And "payload" of the last event "told" is "second place"
      And the recorded steps are:
        | site   | kind        |
        | told#0 | emit        |
        | one#0  | wait-signal |
        | told#1 | emit        |
        | two#0  | wait-signal |
      And the first event "told" carries "1"

    @SUBJ-001
    Scenario: the run keeps its first subject
      When I submit the script "rekeyed.sh":
        """
        echo pass >> {folder}/passes
        svc emit told --key "acme/$(($(wc -l < {folder}/passes)))"
        svc wait-signal go
        """
      Then the run waits for "signal" "go"
      And "key" of the last event "told" is "acme/1"
      When I send the signal "go" with 'null'
      Then the run succeeds
      And the file "passes" has 2 lines
      And there is 1 event "told"
      And "key" of the last event "told" is "acme/1"

    @own-agent @EVT-029 @store
    Scenario: an agent that takes over does not emit the events again
      Given 2 agents of its own
      When I submit the script "taken-over.sh" to those agents:
        """
        svc emit told --payload "\"$SVC_AGENT_PID\""
        test -e {folder}/killed || { echo "$SVC_AGENT_PID" > {folder}/agent; sleep 600; }
        """
      Then the file "agent" soon has 1 line
      Given a file "killed":
        """
        yes
        """
      When I kill the agent whose process is in the file "agent"
      Then the run succeeds
      And there is 1 event "told"
