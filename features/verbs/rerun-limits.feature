Feature: Limits of a rerun

  Rule: A rerun that does not repeat the recorded calls fails

    @ERR-045
    Scenario: a rerun fails if the script's calls differ from the recorded ones
      When I submit the script "changed.sh":
        """
        svc step build -- true
        if [ -e {folder}/changed ]; then svc step other -- touch {folder}/never; else svc step check -- true; fi
        svc step end -- true
        """
      Then the run succeeds
      Given a file "changed":
        """
        yes
        """
      When I rerun it from "end" as "second"
      Then the run fails with code "determinism_violation"
      # @contract
      And "error.message" of the run matches "position: 1"
      # @contract
      And "error.message" of the run matches "recorded: step check#0"
      # @contract
      And "error.message" of the run matches "present: *step other#0"
      # @contract
      And "error.message" of the run matches "the recorded call is in line 2: "
      # @contract
      And "error.message" of the run matches "the call before it, up to step build#0"
      # @contract
      And "error.message" of the run matches "the nearest site that still replays is check#0"
      When I rerun it from "check" as "third"
      Then the run succeeds

    @contract
    Scenario: a rerun fails if the script ends before it reaches the site
      When I submit the script "short.sh":
        """
        svc step build -- true
        if [ -e {folder}/short ]; then exit 0; fi
        svc step end -- true
        svc step last -- true
        """
      Then the run succeeds
      Given a file "short":
        """
        yes
        """
      When I rerun it from "last" as "second"
      Then the run fails with code "determinism_violation"
      And "error.message" of the run matches "the end of the script"

  @contract
  Rule: An impossible rerun is rejected

    Scenario: the error for an unknown site lists similar sites
      When I submit the script "sites.sh":
        """
        svc step build -- true
        svc step check -- true
        """
      Then the run succeeds
      When I send "POST" to "{scoped}/runs/{run}/rerun" with:
        """
        {"from": "chek"}
        """
      Then the answer is 400 with code "invalid_request"
      And "errors.0.pointer" of the answer is "/from"
      And "detail" of the answer matches "similar sites: check#0, build#0"
      When I send "POST" to "{scoped}/runs/{run}/rerun" with:
        """
        {"from": "check", "more": 1}
        """
      Then the answer is 400 with code "invalid_request"
      When I call "svc rerun {run} --from nowhere"
      Then it exits with 1
      And standard error has "similar sites"

    Scenario: a site shared by several calls is rejected, and the error lists the calls
      When I submit the script "load.sh":
        """
        svc step load -- sh -c 'echo step >> {folder}/done'
        svc wait-signal load
        svc step end -- sh -c 'echo end >> {folder}/done'
        """
      Then the run waits for "signal" "load"
      When I send the signal "load" with 'null'
      Then the run succeeds
      When I send "POST" to "{scoped}/runs/{run}/rerun" with:
        """
        {"from": "load"}
        """
      Then the answer is 400 with code "invalid_request"
      And "errors.0.pointer" of the answer is "/from"
      When I call "svc rerun {run} --from load"
      Then it exits with 1
      And standard error matches "step load#0. .call 1. and .wait-signal load#0. .call 2."
      When I rerun it from "wait-signal load" as "second"
      And I send the signal "load" with 'null'
      Then the run succeeds
      And the file "done" has 3 lines

    Scenario: a run that has not ended cannot be rerun
      When I submit the script "waits.sh":
        """
        svc wait-signal go
        """
      Then the run waits for "signal" "go"
      When I send "POST" to "{scoped}/runs/{run}/rerun" with:
        """
        {}
        """
      Then the answer is 409 with code "run_unfinished"
      When I send the signal "go" with 'null'
      Then the run succeeds
      When I send "POST" to "{scoped}/runs/run_00000000000000000000000000/rerun" with:
        """
        {}
        """
      Then the answer is 404 with code "not_found"

    Scenario: a rerun cannot start after a call that holds a lease
      When I submit the script "locked.sh":
        """
        svc lock other -- true
        svc lock deploy
        svc step a -- true
        svc step b -- true
        """
      Then the run succeeds
      When I send "POST" to "{scoped}/runs/{run}/rerun" with:
        """
        {"from": "b"}
        """
      Then the answer is 409 with code "rerun_past_lock"
      And "detail" of the answer matches "the lock \"deploy\" at deploy#0 .call 3."
      And "errors.0.pointer" of the answer is "/from"
      When I call "svc rerun {run} --from b"
      Then it exits with 1
      And standard error matches "the lock .deploy. at deploy#0"
      And standard error has "svc rerun {run} --from 'lock deploy#0'"
      And standard error lacks "`detail`"
      When I rerun it from "deploy#0" as "second"
      Then the run succeeds
      And nobody holds "deploy"

  @contract
  Rule: Children before the site keep their outcome

    Scenario: an ended child does not run again
      When I submit the script "family.sh":
        """
        svc activity one -- sh -c 'echo one >> {folder}/work; echo 1'
        svc activity-submit two -- sh -c 'echo two >> {folder}/work; echo 2; exit 5'
        svc activity-submit three -- sh -c 'echo three >> {folder}/work'
        svc activity-collect three
        svc step here -- true
        code=0; text=$(svc activity-collect two) || code=$?
        svc step told -- echo "$text $code"
        svc activity-wait-all
        """
      Then the run succeeds
      When I rerun it from "here" as "second"
      Then the run succeeds
      And the file "work" has 3 lines
      And the log has "2 5"
      And the run has no notes
