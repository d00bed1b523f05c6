Feature: Timeouts and signals that end svc wait-event

  Rule: svc wait-event accepts a timeout

    @VERB-018 @store
    Scenario: an event before the timeout ends the wait
      When I submit the script "timed.sh":
        """
        svc wait-event go --timeout 60s
        """
      Then the run waits for "event" "go"
      And "substate.deadline" of the run matches "^20"
      When I emit "go" with '"in time"'
      Then the run succeeds
      And the log has "in time"

    @VERB-018
    Scenario: a timeout exits with 124 and is final
      When I submit the script "over.sh":
        """
        svc wait-event go --timeout 300ms || echo "code $?"
        svc wait-signal more
        """
      Then the run waits for "signal" "more"
      When I emit "go"
      And I send the signal "more" with '1'
      Then the run succeeds
      And the recorded steps are:
        | site   | kind        | exit | stdout |
        | go#0   | wait-event  | 124  |        |
        | more#0 | wait-signal | 0    | 1\n    |
      And the log has "code 124" 2 times

    @contract
    Scenario: after a timeout, the report lists events that almost matched
      When I submit the script "near.sh" for "acme/web":
        """
        svc wait-signal start
        svc wait-event go --timeout 6s
        """
      Then the run waits for "signal" "start"
      When I emit "go"
      And I send the signal "start" with 'null'
      Then the run waits for "event" "go"
      When I emit "go" for "acme/app"
      Then the run fails with code "script_failed"
      And the log has "it was recorded before the wait began"
      And the log has 'its key "acme/app" is not the subject of the run'

  Rule: A signal can end a wait for an event

    @HAND-054
    Scenario: a wait ends when a signal named after its event type and job arrives
      When I submit the script "bridge.sh":
        """
        echo "$SVC_ACTIVITY_ID" > {folder}/activity
        svc wait-event approval
        """
      Then the run waits for "event" "approval"
      When I send the signal of its wait for "approval" with '{"by":"ann"}'
      Then the run succeeds
      And the log is:
        """
        {"by":"ann"}
        """
