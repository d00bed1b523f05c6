Feature: Lifecycle events of runs

  Rule: Every run emits events when it starts and ends

    @RUN-001 @RUN-002 @RUN-003 @RUN-004 @RUN-005 @RUN-010 @RUN-011 @RUN-013 @RUN-017 @RUN-018
    @OVW-022 @EVT-023 @EVT-026 @EVT-046 @EVT-047 @EVT-048 @EVT-049 @EVT-060 @SUBJ-004
    Scenario: a successful run emits run.started and run.succeeded
      When I send "POST" to "{scoped}/runs" with:
        """
        {"filename": "ok.sh", "source": "svc output set n:=7", "subject": "acme/web", "input": [1],
         "tags": ["team:core", "nightly"]}
        """
      And I take the run of the answer
      Then the run succeeds
      And the events of the run are:
        | type          | key      | source    |
        | manual        | acme/web | manual    |
        | run.started   | acme/web | lifecycle |
        | run.succeeded | acme/web | lifecycle |
      And "payload.run_id" of the last event "manual" is "{run}"
      And "payload.workflow" of the last event "manual" is "ok.sh"
      And "payload.input" of the last event "manual" is "[1]"
      And "payload.run_id" of the last event "run.started" is "{run}"
      And "payload.status" of the last event "run.started" is "running"
      And "payload.workflow" of the last event "run.started" is "ok.sh"
      And "payload.tags" of the last event "run.started" is '["team:core","nightly"]'
      And "payload.tag" of the last event "run.started" is '{"team":"core"}'
      And "payload.output" of the last event "run.started" is absent
      And "payload.run_id" of the last event "run.succeeded" is "{run}"
      And "payload.status" of the last event "run.succeeded" is "succeeded"
      And "payload.workflow" of the last event "run.succeeded" is "ok.sh"
      And "payload.output" of the last event "run.succeeded" is '{"n":7}'
      And "payload.tags" of the last event "run.succeeded" is '["team:core","nightly"]'
      And "payload.tag" of the last event "run.succeeded" is '{"team":"core"}'
      And "payload.trigger" of the last event "run.succeeded" is '{"type":"manual"}'
      And "payload.error" of the last event "run.succeeded" is absent

    @RUN-001 @RUN-002 @RUN-003 @RUN-004 @RUN-006 @RUN-007 @RUN-010 @RUN-011 @RUN-019 @EVT-050 @EVT-051
    Scenario: a failed run's event contains the end of its error
      When I submit the script "broken.sh":
        """
        printf '🎈%.0s' {1..6000} >&2
        echo "the last words" >&2
        exit 3
        """
      Then the run is "failed"
      And the events of the run are:
        | type        |
        | manual      |
        | run.started |
        | run.failed  |
      And "payload.run_id" of the last event "run.failed" is "{run}"
      And "payload.workflow" of the last event "run.failed" is "broken.sh"
      And "payload.status" of the last event "run.failed" is "failed"
      And "payload.error" of the last event "run.failed" keeps the tail of 4000 characters "🎈the last words"
      And "payload.tags" of the last event "run.failed" is "[]"
      And "payload.tag" of the last event "run.failed" is "{}"
      And "payload.output" of the last event "run.failed" is absent
      And "payload.reason" of the last event "run.failed" is absent

    @RUN-001 @RUN-002 @RUN-003 @RUN-004 @RUN-008 @RUN-009 @RUN-010 @RUN-011 @RUN-020 @EVT-052 @EVT-053
    Scenario: a cancelled run's event contains the end of its reason
      When I submit the script "held.sh":
        """
        svc wait-signal never
        """
      Then the run waits for "signal" "never"
      When I cancel the run for a reason of 5000 characters that ends with "too late"
      Then the run is "cancelled"
      And "payload.run_id" of the last event "run.cancelled" is "{run}"
      And "payload.workflow" of the last event "run.cancelled" is "held.sh"
      And "payload.status" of the last event "run.cancelled" is "cancelled"
      And "payload.tags" of the last event "run.cancelled" is "[]"
      And "payload.tag" of the last event "run.cancelled" is "{}"
      And "payload.reason" of the last event "run.cancelled" keeps the tail of 4000 characters "🎈too late"
      And "payload.error" of the last event "run.cancelled" is absent

    @no-public-url @RUN-015
    Scenario: without a public address, the payload contains no link to the run
      When I submit the script "ok.sh":
        """
        true
        """
      Then the run succeeds
      And "payload.run_url" of the last event "run.succeeded" is absent

    @public-url @RUN-014
    Scenario: with a public address, the payload links to the run's page
      Given a server with a public address, noted as "public"
      When I submit the script "ok.sh":
        """
        true
        """
      Then the run succeeds
      And "payload.run_url" of the last event "run.succeeded" matches "^{public}/.*{run}"

  Rule: A run can wait for another run to end

    @DLV-005
    Scenario: a script waits for another run to end
      When I submit the script "waits.sh" as "waits":
        """
        svc wait-event run.failed
        """
      Then the run waits for "event" "run.failed"
      When I submit the script "fails.sh" as "fails":
        """
        exit 9
        """
      Then the run is "failed"
      And the last event "run.failed" is noted as "event"
      And what came of "{event}" is soon:
        | reaction | run   | state     |
        | wait     | waits | delivered |
      When I look at the run "waits"
      Then the run succeeds
