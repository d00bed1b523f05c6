@contract
Feature: Timeouts of steps and runs

  Rule: A command that takes too long is killed with its whole process group

    Scenario: a command is killed with the processes it started
      When I submit the script "slow.sh":
        """
        code=0
        svc step slow --timeout 3s -- sh -c 'sleep 600 & echo "$!" > {folder}/pids; echo "$$" >> {folder}/pids; wait' || code=$?
        svc step told -- echo "exit $code"
        """
      Then the run succeeds
      And the processes of the file "pids" are gone
      And the recorded steps are:
        | site   | kind | exit | stdout     |
        | slow#0 | step | 124  |            |
        | told#0 | step | 0    | exit 124\n |
      And the log has "it took longer than its timeout of 3s and was stopped"

    Scenario: each attempt has the full time limit
      When I submit the script "each.sh":
        """
        svc step each --retry 2 --timeout 3s -- sh -c 'test "$ATTEMPT" = 2 || sleep 600'
        """
      Then the run succeeds
      When I call "svc steps {run} --output"
      Then standard output matches 'each#0 attempt 1 +exit 124 .*took longer than its timeout of 3s'

    Scenario: a child on another agent times out
      When I submit the script "child.sh":
        """
        code=0; svc activity far --timeout 3s -- sh -c 'echo "$$" > {folder}/pids; exec sleep 600' || code=$?
        svc step told -- echo "exit $code"
        """
      Then the run succeeds
      And the processes of the file "pids" are gone
      And the log has "exit 124"

  Rule: A run fails at its timeout, no matter what it is doing

    @store
    Scenario: a waiting run times out
      When I submit the script "waits.sh" with the options '{"timeout": "1s"}':
        """
        svc wait-signal never
        """
      Then the run fails with code "deadline_exceeded"
      And the run fails and its error has "its timeout of 1s"
      When I call "svc explain {run}"
      Then standard output has "deadline_exceeded"

    Scenario: a run times out while its script runs
      Given a file "works.sh":
        """
        echo "$$" > {folder}/pids
        sleep 600
        """
      When I submit "{folder}/works.sh --timeout 8s" with the CLI as "working"
      And I look at the run "working"
      Then the run fails with code "deadline_exceeded"
      And the processes of the file "pids" are gone

    Scenario: an invalid timeout is rejected
      Given a file "waits.sh":
        """
        svc wait-signal never
        """
      When I call "svc submit {folder}/waits.sh --timeout soon"
      Then it exits with 1
      And standard error has "timeout"
      When I call "svc submit {folder}/waits.sh --timeout 0s"
      Then it exits with 1
      And standard error has "must be longer than 0s"

    Scenario: a run started by a handler times out
      Given the handler "slow" with '{"on": ["asked"], "timeout": "1s"}' runs "waits.sh":
        """
        svc wait-signal never
        """
      When somebody emits "asked" with "{}"
      Then a run of "waits.sh" fails with code "deadline_exceeded"

    Scenario: a run started by a schedule times out
      Given the schedule "slow" is '{"cron": "0 0 1 1 *", "workflow": {"filename": "waits.sh", "source": "svc wait-signal never", "timeout": "1s"}}'
      When I call "svc schedule trigger slow"
      Then it exits with 0
      And a run of "waits.sh" fails with code "deadline_exceeded"

    Scenario: a run started by a webhook times out
      Given the webhook "slow" with '{"forge": "forge_a", "repo": "acme/site", "workflow": {"filename": "waits.sh", "source": "svc wait-signal never", "timeout": "1s"}}'
      When forge_a delivers "push" to "slow":
        """
        {"ref": "refs/heads/main", "after": "0123456789012345678901234567890123456789", "repository": {"full_name": "acme/site"}}
        """
      Then a run of "waits.sh" fails with code "deadline_exceeded"

    Scenario: an invalid timeout is rejected with its position
      Given a file "waits.sh":
        """
        svc wait-signal never
        """
      When I call "svc handler set h {folder}/waits.sh --on x --timeout soon"
      Then it exits with 1
      And standard error has "timeout"
      When I call "svc schedule set s '0 0 1 1 *' {folder}/waits.sh --timeout 0s"
      Then it exits with 1
      And standard error has "must be longer than 0s"
      When I call "svc handler set h {folder}/waits.sh --on x --timeout 90m"
      Then it exits with 0
      When I call "svc handler show h"
      Then standard output has "90m"

    Scenario: runs without a timeout get the project's timeout
      When I call "svc runs timeout"
      Then standard output is "none"
      When I call "svc runs timeout 0s"
      Then it exits with 1
      When I call "svc runs timeout off"
      Then it exits with 1
      And standard error has "svc runs timeout none"
      When I call "svc runs timeout 1s"
      Then standard output is "1s"
      When I submit the script "waits.sh" as "usual":
        """
        svc wait-signal never
        """
      Then the run fails with code "deadline_exceeded"
      When I submit the script "own.sh" with the options '{"timeout": "1h"}':
        """
        svc wait-signal go
        """
      Then the run waits for "signal" "go"
      When I send the signal "go" with "null"
      Then the run succeeds
      When I call "svc runs timeout none"
      And I submit the script "ever.sh":
        """
        true
        """
      Then the run succeeds
      And the run has no deadline
