Feature: One event reaches four listeners

  Rule: Each listener reacts independently of the others

    @OVW-024 @DLV-003 @DLV-004 @DLV-005 @DLV-006 @DLV-007 @store
    Scenario: a job, a node, a script and a handler receive the same event
      Given the handler "h" on "go" runs "h.sh":
        """
        svc step mark -- true
        """
      When I submit the pipeline as "job":
        """
        jobs: { gate: { wait_for_event: go } }
        """
      And I run the graph:
        """
        {"nodes": [{"id": "gate", "type": "event", "config": {"event": "go"}}]}
        """
      And the run is called "graph"
      And I submit the script "w.sh" as "script":
        """
        svc wait-event go
        """
      Then I look at the run "job"
      And the run waits for "event" "go"
      And I look at the run "graph"
      And the run waits for "event" "go"
      And I look at the run "script"
      And the run waits for "event" "go"
      When I emit "go" with '{"n": 1}'
      Then I look at the run "job"
      And the run succeeds
      And I look at the run "graph"
      And the run succeeds
      And I look at the run "script"
      And the run succeeds
      When the last event of type "go" is looked at
      Then the handler "h" succeeds
