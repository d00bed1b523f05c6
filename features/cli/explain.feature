@contract
Feature: svc explain explains a run's current state

  Rule: The explanation of a waiting run shows who or what can end the wait

    Scenario: a run that waits for a lock shows the holder
      Given a gate "leave"
      When I submit the script "holder.sh" as "holder":
        """
        svc lock deploy
        read -r _ < {folder}/leave
        """
      Then "deploy" is held by the run "holder"
      Given the run id of "holder" is noted as "holder"
      When I submit the script "second.sh" as "second":
        """
        svc lock deploy
        """
      Then the run waits for "awaiting_lease" "deploy"
      When I call "svc explain {run}"
      Then it exits with 0
      And standard output has "which the run {holder} has held for"
      And standard output has "number 1 of 1 in the queue"
      And standard output has "svc cancel {holder}"
      When I call "svc locks ls"
      Then it exits with 0
      And standard output matches "deploy +holds +{holder}"
      When I call "svc locks ls --json"
      Then standard output is JSON whose "locks.0.queue.0.run_id" is "{run}"
      When I open the gate "leave"
      Then all runs succeed

    Scenario: runs waiting for a signal, an agent or a child without a capable agent are explained
      When I submit the script "signal.sh" as "signal":
        """
        svc wait-signal go
        """
      Then the run waits for "signal" "go"
      When I call "svc explain {run}"
      Then standard output has "svc signal {run} go"
      When I call "svc explain {run} --json"
      Then standard output is JSON whose "substate.kind" is "signal"
      When I send the signal "go" with 'null'
      Then the run succeeds
      When I submit the script "child.sh" as "child":
        """
        svc activity far --requires moonbeams -- true
        """
      Then the run waits for "activity" "far"
      When I call "svc explain {run}"
      Then standard output has "lacks moonbeams"
      And standard output has "svc agent --cap moonbeams"
      When I cancel the run because "no moon"
      And I submit the script "queued.sh" with the options '{"requires": ["moonbeams"]}':
        """
        true
        """
      And I call "svc explain {run}"
      Then standard output has "is waiting for an agent"
      And standard output has "lacks moonbeams"
      When I cancel the run because "no moon"
      And I call "svc explain {run}"
      Then standard output has "no moon"

  Rule: The explanation of a finished run shows what to do next

    Scenario: for a failure, the explanation shows the call and how to continue from it
      When I submit the script "fails.sh":
        """
        svc step build -- true
        svc step check -- sh -c 'echo broken >&2; exit 3'
        """
      Then the run fails with code "script_failed"
      When I call "svc explain {run}"
      Then standard output has "check#0, failed with exit code 3"
      And standard output has "svc rerun {run} --from 'check#0'"
      When I call "svc explain run_00000000000000000000000000"
      Then it exits with 1

    @needs-python3
    Scenario: steps are drawn as a timeline only on a terminal
      When I submit the script "drawn.sh":
        """
        svc step a -- true
        svc sleep 20ms
        svc step b -- true
        """
      Then the run succeeds
      When I call "svc steps {run}"
      Then standard output lacks "█"
      When I start "svc steps {run}" on a terminal as "drawn"
      Then "drawn" soon prints "█"
