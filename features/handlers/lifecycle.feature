Feature: Handlers of run lifecycle events

  Rule: Lifecycle events start handlers, except those of handler runs

    @HAND-016 @OVW-022
    Scenario: a bash handler reports on a script run
      Given a file "report.sh":
        """
        svc step note -- sh -c 'echo "$CI_TRIGGER_EVENT" >> {folder}/seen'
        """
      When I call "svc handler set report report.sh --on 'run.*' --when 'event.payload.workflow == \"build.sh\"'"
      And I submit the script "build.sh":
        """
        echo built
        """
      Then the run succeeds
      And the project comes to rest
      And the handler "report" ran 2 times
      And the file "seen" has "run.started"
      And the file "seen" has "run.succeeded"

    @contract
    Scenario: a handler reports on a run that a hook delivery started
      Given a file "build.sh":
        """
        svc step build -- echo built
        """
      And the event hook "ci" with '{"event_type": "ci.done"}'
      And the handler "work" on "ci.done" runs "work.sh":
        """
        svc spawn {folder}/build.sh
        """
      And a file "report.sh":
        """
        svc step note -- sh -c 'echo "$CI_TRIGGER_EVENT" >> {folder}/seen'
        """
      When I call "svc handler set report report.sh --on 'run.*' --when 'event.payload.workflow == \"build.sh\"'"
      Then it exits with 0
      Given a delivery of '{"commit": "abc"}' as "application/json"
      When it is delivered with the secret
      Then the file "seen" soon has 2 lines
      And the project comes to rest
      And the handler "report" ran 2 times
      And the file "seen" has "run.started"
      And the file "seen" has "run.succeeded"

    @HAND-017
    Scenario: a handler can select only events of ended runs
      Given the handler "ends" on "run.succeeded,run.failed,run.cancelled" runs "note.sh":
        """
        svc output set of="$CI_TRIGGER_EVENT"
        """
      When I submit the script "good.sh":
        """
        true
        """
      Then the run succeeds
      When the event "run.succeeded" of the run is looked at
      Then the handler "ends" succeeds
      When I submit the script "bad.sh":
        """
        exit 3
        """
      Then the run is "failed"
      When the event "run.failed" of the run is looked at
      Then the handler "ends" succeeds
      When I submit the script "stopped.sh":
        """
        svc wait-signal never
        """
      And I cancel the run because "enough"
      And the event "run.cancelled" of the run is looked at
      Then the handler "ends" succeeds
      And the project comes to rest
      And the handler "ends" ran 3 times

    @RUN-024 @RUN-025
    Scenario: a handler run's lifecycle events are recorded but start no handler
      Given the handler "all" on "*" runs "note.sh":
        """
        true
        """
      When somebody emits "deploy.done" with "{}"
      Then the handler "all" succeeds
      And the project has 1 event of type "run.started"
      And the project has 1 event of type "run.succeeded"
      And the handler "all" ran 1 time
      When the last event of type "run.succeeded" is looked at
      Then it was delivered to no handler
      When I call "svc handler test all --event {event}"
      Then standard output matches "^outcome +withheld$"
