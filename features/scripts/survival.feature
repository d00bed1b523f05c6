Feature: A script survives the loss of its processes

  Rule: If an agent dies, another agent continues

    @own-agent @SCR-073 @SCR-074 @store
    Scenario: the agent is killed between two steps
      Given a gate "open"
      And 2 agents of its own
      When I submit the script "carried.sh" to those agents:
        """
        echo "$SVC_AGENT_PID" >> {folder}/passes
        svc step before -- sh -c 'echo before >> {folder}/commands; echo kept' > {folder}/before
        echo here >> {folder}/between
        [ "$(wc -l < {folder}/passes)" -gt 1 ] || read -r _ < {folder}/open
        svc step after -- sh -c 'echo after >> {folder}/commands'
        cat {folder}/before
        """
      Then the file "between" soon has 1 line
      When I kill the agent whose process is in the file "passes"
      Then the run succeeds
      And the file "passes" has 2 different lines
      And the file "commands" is:
        """
        before
        after
        """
      And the log is:
        """
        kept
        """

  Rule: If the script is killed, its next pass continues

    @SCR-073
    Scenario: a script is killed between two steps
      When I submit the script "killed.sh":
        """
        echo pass >> {folder}/passes
        svc step before -- sh -c 'echo before >> {folder}/commands; echo kept' > {folder}/before
        [ "$(wc -l < {folder}/passes)" -gt 1 ] || kill -KILL $$
        svc step after -- sh -c 'echo after >> {folder}/commands'
        cat {folder}/before
        """
      Then the run succeeds
      And the file "passes" has 2 lines
      And the file "commands" is:
        """
        before
        after
        """
      And the log is:
        """
        kept
        """

  Rule: If the server dies, nothing is lost

    @own-server @configured @SCR-075 @SCR-076 @SCR-077 @SCR-078 @store
    Scenario: a running run, a sleeping run, a waiting run and a run with a child survive a server restart
      Given a server and an agent of their own with:
        | SVC_LEASE_MS | 60000 |
      And a gate "open"
      And a gate "child"
      When I submit the script "collects.sh" as "collecting":
        """
        echo pass >> {folder}/collecting
        svc activity slow -- sh -c 'read -r _ < {folder}/child; echo the child has ended'
        """
      Then the run waits for "activity" "slow"
      When I submit the script "works.sh" as "working":
        """
        echo pass >> {folder}/working
        svc step before -- true
        read -r _ < {folder}/open
        svc step after -- true
        """
      And I submit the script "waits.sh" as "waiting":
        """
        echo pass >> {folder}/waiting
        svc wait-signal go --timeout 1h
        """
      Then the file "working" soon has 1 line
      And the run waits for "signal" "go"
      And the run waits for 3600 seconds
      And "substate.deadline" of the run is noted as "deadline"
      When I submit the script "sleeps.sh" as "sleeping":
        """
        echo pass >> {folder}/sleeping
        svc sleep 3s
        svc step after -- true
        """
      Then the run waits for "sleep" ""
      When the server is killed
      And the server is started again
      And I look at the run "waiting"
      Then the run waits for "signal" "go"
      And "substate.deadline" of the run is "{deadline}"
      When I send the signal "go" with '"after the restart"'
      Then the run succeeds
      And the file "waiting" has 2 lines
      And the log has "after the restart"
      When I look at the run "sleeping"
      Then the run succeeds
      And the file "sleeping" has 2 lines
      When I look at the run "collecting"
      Then the run waits for "activity" "slow"
      When I open the gate "child"
      Then the run succeeds
      And the file "collecting" has 2 lines
      And the log has "the child has ended"
      When I look at the run "working"
      And I open the gate "open"
      Then the run succeeds
      And the file "working" has 1 line
