Feature: A script can continue after a rejected emit

  Rule: A rejected emit is recorded at its position, and the next emit is a new attempt

    @HAND-052 @ERR-026 @LIM-007
    Scenario: a script waits and emits again, and a replay does the same
      Given 16 handlers on "crowd" whose runs no agent takes
      When somebody emits "crowd" with "{}"
      Then 16 handler runs are in flight and 0 wait
      When I submit the script "patient.sh":
        """
        until svc emit crowd; do svc wait-signal again; done
        """
      And the run is called "patient"
      Then the run waits for "signal" "again"
      And the log has "handlers_in_flight"
      And the project has 1 event of type "crowd"
      When every handler run that no agent takes is cancelled
      Then 0 handler runs are soon in flight
      When I look at the run "patient"
      And I send the signal "again" with 'null'
      Then the run succeeds
      And the project has 2 events of type "crowd"
      And the recorded steps are:
        | site    | kind        | exit |
        | crowd#0 | emit        | 1    |
        | again#0 | wait-signal | 0    |
        | crowd#1 | emit        | 0    |
      When every handler run that no agent takes is cancelled
      Then the project comes to rest
