Feature: svc wait-event waits for an event

  Rule: The run is suspended until the next event of the type

    @VERB-017 @SCR-018 @DLV-005 @DLV-008 @EVT-072 @store
    Scenario: the event wakes the script, which starts from the top and gets the envelope
      When I submit the script "wait.sh":
        """
        echo "$$" >> {folder}/passes
        svc wait-event deploy.done > {folder}/envelope
        svc step use -- cat {folder}/envelope
        """
      Then the run waits for "event" "deploy.done"
      And the processes of the file "passes" are gone
      When I emit "deploy.started"
      And I emit "deploy.done" for "acme/web" with '{"v": 7, "list": [null, "ü"]}'
      Then the run succeeds
      And the file "passes" has 2 lines
      And the file "envelope" holds the envelope of "{event}"
      And the log has '"payload":{"v":7,"list":[null,"ü"]}'

    @VERB-016 @HAND-053 @store
    Scenario: a wait receives exactly one event
      When I submit the script "once.sh":
        """
        svc wait-event go
        svc wait-signal more
        """
      Then the run waits for "event" "go"
      When I emit "go" with '"first"'
      Then the run waits for "signal" "more"
      And what came of "{event}" is soon:
        | reaction | run | state     |
        | wait     | it  | delivered |
      When I emit "go" with '"second"'
      Then nothing came of "{event}"
      When I send the signal "more" with 'null'
      Then the run succeeds
      And the log has "first"
      And the log lacks "second"

    @DLV-009 @store
    Scenario: a large payload arrives unchanged
      When I submit the script "large.sh":
        """
        svc wait-event large > {folder}/envelope
        """
      Then the run waits for "event" "large"
      When I emit "large" in a body of 1500000 bytes
      Then the run succeeds
      And the file "envelope" has 1500000 bytes or more
      And the file "envelope" holds the envelope of "{event}"

    @DLV-010 @store
    Scenario: events before the wait are ignored
      When I submit the script "late.sh":
        """
        svc wait-signal start
        svc wait-event go
        """
      Then the run waits for "signal" "start"
      When I emit "go" with '"too early"'
      And I send the signal "start" with 'null'
      Then the run waits for "event" "go"
      When I emit "go" with '"in time"'
      Then the run succeeds
      And the log has "in time"
      And the log lacks "too early"

    @WAIT-015
    Scenario: the script decides what to do with an event
      When I submit the script "choose.sh":
        """
        until svc wait-event build | grep -q '"ok":true'; do :; done
        svc step chosen -- echo chosen
        """
      Then the run waits for "event" "build"
      When I emit "build" with '{"ok":false}'
      Then the run soon waits at "build#1"
      When I emit "build" with '{"ok":true}'
      Then the run succeeds
      And the log has "chosen"

  Rule: Every waiting run receives the event

    @DLV-001 @DLV-002 @store
    Scenario: one event wakes all runs that wait for its type
      When I submit the script "wait.sh" as "one":
        """
        svc wait-event go
        """
      Then the run waits for "event" "go"
      When I submit the script "wait.sh" as "two":
        """
        svc wait-event go
        """
      Then the run waits for "event" "go"
      When I submit the script "wait.sh" as "else":
        """
        svc wait-event stay
        """
      Then the run waits for "event" "stay"
      When I emit "go"
      Then the run waits for "event" "stay"
      And what came of "{event}" is soon:
        | reaction | run | state     |
        | wait     | one | delivered |
        | wait     | two | delivered |
      When I look at the run "one"
      Then the run succeeds
      When I look at the run "two"
      Then the run succeeds
      When I cancel every run that has not ended
